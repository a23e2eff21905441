import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { stringify } from 'smol-toml'
import * as z from 'zod'
import { commandBinding } from '../../backends/command/binding.ts'
import { expand } from '../../backends/command/expand.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Tool, Validation } from '../../core/tool.ts'
import type { LoadContext } from '../format.ts'
import { readExceptions } from '../../../test/helpers/exceptions.ts'
import { load } from './load.ts'
import { PARSERS } from './parsers/index.ts'
import type { Parsed } from './parsers/parser.ts'

const corpus = join(process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../shared'), 'corpus')
const missing = existsSync(corpus) ? false : `${corpus} is not there`

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(corpus, path), 'utf8'))
}

function toolWith(arg: Readonly<Record<string, unknown>>, around: Partial<LoadContext> = {}): Tool {
  const text = stringify({
    tool: { name: 'x', binary: 'x' },
    args: { x: arg },
    command: { exec: ['x', '{x}'] },
    output: { format: 'text' },
  })
  const { tools, diagnostics } = load(text, { root: '/', ...around })
  assert.ok(tools[0] !== undefined, JSON.stringify(diagnostics))
  return tools[0]
}

function outcome(validation: Validation): string {
  return validation.ok ? JSON.stringify(validation.values['x']) : 'refused'
}

describe('the type vectors', { skip: missing }, () => {
  if (missing !== false) return
  const rows = z.array(
    z.looseObject({
      id: z.number(),
      type: z.string(),
      value: z.string(),
      options: z.record(z.string(), z.json()),
      manifest: z.string(),
      accept: z.boolean().nullable(),
      output: z.string().nullish(),
    }),
  )
  /** Rows the specification leaves open: ruling 14. */
  const ruled: Readonly<Record<string, string>> = { '+42': '42', '007': '7' }
  /** Whether a file is there is looked up when the call runs (`backends/lookups.test.ts`). */
  const onDisk = new Set([222, 225])
  const run = rows.parse(readJson('toolclad/vectors/type_vectors.json')).filter(row => !onDisk.has(row.id))

  it('are there', () => assert.equal(run.length, 243))
  for (const row of run)
    it(`${row.id} ${row.type} ${JSON.stringify(row.value)}`, () => {
      const accepted = row.output ?? (row.accept === null ? ruled[row.value] : row.value)
      const want = row.accept === false ? 'refused' : JSON.stringify(accepted)
      // A template alone does not honour `allow_whitespace`.
      const options = row.manifest === 'exec' ? row.options : { ...row.options, allow_whitespace: false }
      assert.equal(outcome(toolWith({ type: row.type, ...options }).validate({ x: row.value })), want)
    })
})

describe('the custom types of the corpus', { skip: missing }, () => {
  if (missing !== false) return
  const text = readFileSync(join(corpus, 'toolclad/toolclad.toml'), 'utf8')
  const vectors = [
    ['severity_level', 'high', true],
    ['severity_level', 'urgent', false],
    ['scan_rate', '5000', true],
    ['scan_rate', '0', false],
    ['scan_rate', '10001', false],
    ['port_range', '8080-8090', true],
    ['port_range', '80,443', true],
    ['port_range', '80-', false],
    ['hostname', 'example.com', true],
    ['hostname', '-x.com', false],
    ['hostname', 'a b', false],
    ['safe_identifier', '_a-1', true],
    ['safe_identifier', '1a', false],
  ] as const
  for (const [type, value, accepted] of vectors)
    it(`${type} ${value}`, () =>
      assert.equal(toolWith({ type }, { customTypes: { text } }).validate({ x: value }).ok, accepted))
})

describe('the hosts, addresses, URLs and ranges of the SSRF corpus', { skip: missing }, () => {
  if (missing !== false) return
  const row = z.looseObject({
    input: z.string(),
    kind: z.enum(['ip', 'host', 'url', 'cidr']),
    category: z.string(),
    internal: z.boolean(),
    always_blocked: z.boolean().default(false),
    needs_dns: z.boolean().default(false),
    ambiguous: z.boolean().default(false),
    syntax: z.string().optional(),
  })
  const types = { ip: 'ip_address', host: 'scope_target', url: 'url', cidr: 'cidr' } as const
  const tools = (more: JsonObject) =>
    new Map<string, Tool>(Object.values(types).map(type => [type, toolWith({ type, ...more })]))
  const [strict, plain] = [tools({ block_internal: true }), tools({})]
  const exceptions = readExceptions(id => id.startsWith('corpus/ssrf: '))
  const rows = z.array(row).parse(readJson('ssrf/ssrf.json'))

  /** What a name resolves to is not judged here. */
  const isAccepted = (type: string, value: string, given: ReadonlyMap<string, Tool>): boolean | undefined =>
    given.get(type)?.validate({ x: value }).ok

  it('are there', () => assert.equal(rows.length, 585))
  for (const { input, kind, internal, needs_dns: byAnswer, ...rest } of rows.filter(({ ambiguous }) => !ambiguous)) {
    const type = types[kind]
    const id = `corpus/ssrf: ${type} ${input}`
    it(JSON.stringify(id), () =>
      exceptions.run(id, () => {
        const refused = (internal && !byAnswer) || rest.syntax !== undefined
        assert.equal(isAccepted(type, input, strict), !refused, 'block_internal')
        if (rest.always_blocked || rest.syntax !== undefined) assert.equal(isAccepted(type, input, plain), false)
      }),
    )
  }
  it('have no exception that is not among them', () => assert.deepEqual(exceptions.unused(), []))
})

describe('the path vectors', { skip: missing }, () => {
  if (missing !== false) return
  const file = z.object({ cases: z.array(z.object({ name: z.string(), value: z.string(), error: z.boolean() })) })
  /** White space needs `allow_whitespace` in the specification (corpus/toolclad/SOURCE.md). */
  const stricter = new Set(['valid_5', 'outer_spaces_compatibility'])
  const tool = toolWith({ type: 'path' })
  for (const { name, value, error } of file.parse(readJson('toolclad/vectors/path_vectors.json')).cases)
    it(name, () => assert.equal(tool.validate({ x: value }).ok, !error && !stricter.has(name)))
})

describe('the injection payloads against a plain string', { skip: missing }, () => {
  if (missing !== false) return
  const payloads = z.array(
    z.looseObject({
      payload: z.string(),
      category: z.string(),
      string_rejects: z.boolean(),
      first_rule: z.string().nullish(),
    }),
  )
  const fences: Readonly<Record<string, string>> = { 'quote-or-backslash': 'quote', 'leading-dash': 'leading_dash' }
  const tool = toolWith({ type: 'string' })

  it('are refused by the fence they name', () => {
    const rows = payloads.parse(readJson('injection/payloads.json'))
    assert.ok(rows.length > 800)
    for (const row of rows.filter(candidate => candidate.string_rejects)) {
      const validation = tool.validate({ x: row.payload })
      assert.ok(!validation.ok, JSON.stringify(row))
      const first = row.first_rule ?? ''
      // Ours judges direction controls earlier than the specification's rules, which do not know them (ruling 12).
      if (validation.refusals[0]?.fence === 'bidi' && row.category === 'bidi') continue
      assert.equal(validation.refusals[0]?.fence, fences[first] ?? first, JSON.stringify(row))
    }
  })

  it('reach the command unchanged, or are refused by a stricter rule', () => {
    const rows = [
      ...payloads.parse(readJson('injection/payloads.json')),
      ...payloads.parse(readJson('injection/payloads-lone-surrogates.json')),
    ].filter(row => !row.string_rejects)
    for (const row of rows) {
      const validation = tool.validate({ x: row.payload })
      if (validation.ok) assert.equal(validation.values['x'], row.payload)
      else assert.match(validation.refusals[0]?.fence ?? '', /^(?:bidi|surrogate)$/, JSON.stringify(row))
      if (row.category === 'benign') assert.ok(validation.ok, JSON.stringify(row))
    }
  })
})

describe('the injection payloads against the network types', { skip: missing }, () => {
  if (missing !== false) return
  const payloads = z
    .array(z.looseObject({ payload: z.string(), string_rejects: z.boolean(), category: z.string() }))
    .parse([...readRows('injection/payloads.json'), ...readRows('injection/payloads-lone-surrogates.json')])

  for (const type of ['scope_target', 'url', 'ip_address', 'cidr'])
    it(`${type}: what a string refuses is refused, and what is left is a host or an address`, () => {
      const tool = toolWith({ type })
      assert.ok(payloads.length > 800)
      for (const { payload, string_rejects: rejected, category } of payloads) {
        const validation = tool.validate({ x: payload })
        // A URL may hold more behind its host; no payload is a URL. Names of one label look like any word.
        if (validation.ok) {
          assert.equal(rejected, false, payload)
          assert.match(payload, type === 'scope_target' ? /^[A-Za-z0-9.:-]+$/ : /^[0-9a-f.:]+$/, payload)
          assert.equal(validation.values['x'], payload)
        }
        for (const [accepting, value] of BENIGN)
          if (category === 'benign' && value === payload) assert.equal(validation.ok, accepting.includes(type), payload)
      }
    })
})

/** Benign payloads that are targets, and the types that take them. */
const BENIGN: readonly (readonly [readonly string[], string])[] = [
  [['scope_target'], 'example.com'],
  [['scope_target', 'ip_address'], '10.0.0.1'],
  [['scope_target', 'ip_address'], '2001:db8::1'],
  [[], 'user@example.com'],
  [[], 'a*b'],
]

function readRows(path: string): readonly unknown[] {
  return z.array(z.unknown()).parse(readJson(path))
}

describe('the published examples', { skip: missing }, () => {
  const examples = [
    { file: 'curl_fetch', errors: ['egress_block_internal', 'placeholder_quoted'] },
    { file: 'dig_lookup', errors: [] },
    {
      file: 'nikto_scan',
      errors: ['placeholder_embedded'],
    },
    { file: 'nmap_scan', errors: ['egress_block_internal'] },
    { file: 'whois_lookup', errors: [] },
  ]
  for (const { file, errors } of examples)
    it(file, () => {
      const text = readFileSync(join(corpus, `toolclad/examples/${file}.clad.toml`), 'utf8')
      const customTypes = { text: readFileSync(join(corpus, 'toolclad/toolclad.toml'), 'utf8') }
      const { diagnostics } = load(text, { root: '/', customTypes })
      assert.deepEqual(
        diagnostics.filter(problem => problem.severity === 'error').map(problem => problem.code),
        errors,
      )
    })
})

describe('the execution vectors', { skip: missing }, () => {
  if (missing !== false) return
  const file = z.object({
    cases: z.array(
      z.object({
        name: z.string(),
        manifest: z.string(),
        args: z.record(z.string(), z.json()),
        expected_argv: z.array(z.string()),
        error: z.boolean(),
      }),
    ),
  })
  /** White space needs `exec` and `allow_whitespace` in the specification (Value Hygiene). */
  const stricter = new Set(['literal_space', 'exec_literal_space', 'mapping_and_literal', 'conditional_literal'])

  for (const vector of file.parse(readJson('toolclad/vectors/execution_vectors.json')).cases)
    it(vector.name, () => {
      const argv = argvOf(vector.manifest, vector.args)
      assert.deepEqual(argv, vector.error || stricter.has(vector.name) ? undefined : vector.expected_argv)
    })
})

async function parse(name: string, output: Uint8Array): Promise<Parsed> {
  const parsed = await PARSERS.get(name)?.parse(output)
  assert.ok(parsed !== undefined)
  return parsed
}

describe('the CSV corpus', { skip: missing }, () => {
  if (missing !== false) return
  /** The expected rows do not match the file (corpus/csv/SOURCE.md). */
  const wrong = new Set(['location_coordinates'])
  const names = readdirSync(join(corpus, 'csv/csvs')).map(file => basename(file, '.csv'))
  for (const name of names.filter(candidate => !wrong.has(candidate)))
    it(name, async () => {
      const rows = z.array(z.record(z.string(), z.string())).parse(readJson(`csv/json/${name}.json`))
      const parsed = await parse('csv', readFileSync(join(corpus, `csv/csvs/${name}.csv`)))
      assert.ok(parsed.ok && Array.isArray(parsed.value))
      // There every value is a text; here numbers are numbers (ruling 26).
      const texts = parsed.value.map(row => {
        assert.ok(isJsonObject(row))
        return Object.fromEntries(
          Object.entries(row).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
        )
      })
      assert.deepEqual(texts, rows)
    })
})

describe('the XML corpus', { skip: missing }, () => {
  if (missing !== false) return
  const entries = z.array(z.looseObject({ file: z.string(), expect: z.string(), root: z.string().nullish() }))
  for (const { file, expect, root } of entries.parse(readJson('xml/expected.json')))
    it(`${expect} ${file}`, async () => {
      const parsed = await parse('xml', readFileSync(join(corpus, 'xml', file)))
      if (expect === 'any') return
      assert.equal(parsed.ok, expect === 'accept', JSON.stringify(parsed))
      if (parsed.ok && typeof root === 'string') assert.deepEqual(Object.keys(parsed.value ?? {}), [root])
      if (expect === 'refuse') assert.match(JSON.stringify(parsed), /which is refused/)
    })
})

/** As the command backend builds it; undefined where the manifest or the values are refused. */
function argvOf(manifest: string, args: JsonObject): readonly string[] | undefined {
  const [tool] = load(manifest, { root: '/' }).tools
  const validation = tool?.validate(args)
  if (tool === undefined || validation?.ok !== true) return undefined
  const { argv } = commandBinding.parse(tool.binding.data)
  return expand(argv, validation.values).flatMap(token => {
    if ('literal' in token) return [token.literal]
    const value = 'value' in token ? validation.values[token.value] : undefined
    return typeof value === 'string' ? [value] : []
  })
}
