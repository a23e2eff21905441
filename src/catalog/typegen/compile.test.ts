// What `tsc --strict` says of generated declarations, and of code written against them: one run for all of it.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { describedApi, describedCommand, describedTool } from '../../../test/helpers/described.ts'
import { NODE, ROOT, run } from '../../../test/helpers/processes.ts'
import { makeWorkspace } from '../../../test/helpers/workspace.ts'
import type { Api } from '../../core/api.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Tool } from '../../core/tool.ts'
import { load } from '../../formats/dadl/load.ts'
import { COMMAND_LINE, DETAILS, generateTypes } from './index.ts'

const registry = join(
  process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../shared'),
  'corpus/dadl-registry',
)

const object = (properties: JsonObject, ...required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const text = { type: 'string' }

const SHOP: readonly [Api, readonly Tool[]] = [
  describedApi({
    health: true,
    version: '1.0',
    types: {
      Customer: object({ id: text, email: text, parent: { $ref: '#/types/Customer' } }, 'id'),
      Event: {
        oneOf: [object({ kind: { enum: ['paid'] }, sum: { type: 'number' } }, 'kind', 'sum'), { $ref: '#/types/Void' }],
      },
      Void: object({ kind: { enum: ['void'] } }, 'kind'),
      Tree: { anyOf: [text, { type: 'array', items: { $ref: '#/types/Tree' } }] },
      Knot: { oneOf: [{ $ref: '#/types/Loop' }, text] },
      Loop: { allOf: [{ $ref: '#/types/Knot' }] },
      Promise: { oneOf: [text, { $ref: '#/types/Record' }] },
      Record: object({ Tools: text }),
    },
  }),
  [
    describedTool('get_customer', { inputSchema: object({ id: text }, 'id'), returns: { $ref: '#/types/Customer' } }),
    describedTool('list_customers', {
      inputSchema: object({ after: text, limit: { type: 'integer', default: 10 } }),
      returns: { type: 'array', items: { $ref: '#/types/Customer' } },
      paged: true,
    }),
    describedTool('list_lines', { inputSchema: object({ _next: { type: 'integer' } }), paged: true }),
    describedTool('next_event', { returns: { $ref: '#/types/Event' } }),
    describedTool('tree', { returns: { $ref: '#/types/Tree' } }),
    describedTool('knots', { returns: { oneOf: [{ $ref: '#/types/Knot' }, { $ref: '#/types/Loop' }] } }),
    describedTool('shadows', { returns: { $ref: '#/types/Promise' } }),
    describedTool('set-state', {
      inputSchema: object({ state: { type: 'string', enum: ['open', 'closed'] } }, 'state'),
    }),
    describedTool('old_one', { deprecated: { reason: 'slow', replacedBy: 'tree' } }),
    describedTool('untyped', { inputSchema: { type: 'object' } }),
  ],
]

const LOG = describedCommand('git_log', {
  inputSchema: object({ max_count: { type: 'integer' } }),
  outputSchema: object(
    { status: { enum: ['success', 'error'] }, results: { type: 'array', items: text } },
    'status',
    'results',
  ),
})

/** Code that compiles, and code with the one error it has. */
const SNIPPETS: readonly { readonly name: string; readonly code: string; readonly error?: string }[] = [
  {
    name: 'a result has its type',
    code: 'const c = await api.shop.get_customer({ id: "1" }); const e: string | undefined = c.parent?.email; void e',
  },
  {
    name: 'arguments with defaults are optional',
    code: 'const all = await api.shop.list_customers(); void all.map(c => c.id)',
  },
  {
    name: 'a union is told apart by its values',
    code: 'const e = await api.shop.next_event(); void (e.kind === "paid" ? e.sum : 0)',
  },
  {
    name: 'pages are gone through',
    code: `const ids: string[] = []
let next: string | undefined
do {
  const page = await api.shop.list_customers.page({ limit: 5, _next: next })
  ids.push(...page.items.map(c => c.id))
  next = page.next
} while (next !== undefined)`,
  },
  {
    name: 'the cursor has the type its argument has',
    code: 'const page = await api.shop.list_lines.page(); await api.shop.list_lines({ _next: page.next })',
  },
  { name: 'health is asked', code: 'const h = await api.shop.health(); void (h.ok ? h.latency_ms : h.error?.length)' },
  { name: 'a quoted name is called', code: 'void (await api.shop["set-state"]({ state: "open" })).anything' },
  {
    name: 'an envelope is opened',
    code: 'const { status, results } = await api.cli.git_log({ max_count: 3 }); void (status === "success" && results[0]?.length)',
  },
  { name: 'nothing is known of arguments', code: 'void api.shop.untyped({ any: [1] })' },
  {
    name: 'a recursive type is walked',
    code: 'const t = await api.shop.tree(); void (typeof t === "string" ? t : t[0])',
  },
  { name: 'an argument of the wrong type', code: 'void api.shop.get_customer({ id: 1 })', error: 'TS2322' },
  { name: 'an argument that is missing', code: 'void api.shop.get_customer({})', error: 'TS2741' },
  { name: 'no arguments where some are needed', code: 'void api.shop.get_customer()', error: 'TS2554' },
  { name: 'an unknown argument', code: 'void api.shop.get_customer({ id: "1", ids: 2 })', error: 'TS2353' },
  { name: 'arguments where none are taken', code: 'void api.shop.next_event({})', error: 'TS2554' },
  { name: 'an unknown tool', code: 'void api.shop.get_customers()', error: 'TS2551' },
  { name: 'an unknown API', code: 'void api.shopp', error: 'TS2551' },
  {
    name: 'an unknown member of a result',
    code: 'void (await api.shop.get_customer({ id: "1" })).name',
    error: 'TS2339',
  },
  { name: 'a value that is not allowed', code: 'void api.shop["set-state"]({ state: "ajar" })', error: 'TS2322' },
  { name: 'pages of what has none', code: 'void api.shop.tree.page()', error: 'TS2339' },
  { name: 'a cursor of the wrong type', code: 'void api.shop.list_lines({ _next: "1" })', error: 'TS2322' },
  {
    name: 'a result taken for another',
    code: 'const n: number = await api.shop.get_customer({ id: "1" }); void n',
    error: 'TS2322',
  },
  { name: 'a result not waited for', code: 'void api.shop.list_customers().length', error: 'TS2339' },
]

/** Schemas of any kind, right or wrong, over three types that may name each other. */
const schemas = fc.letrec<{ any: JsonValue; object: JsonObject }>(tie => {
  const list = fc.array(tie('any'), { maxLength: 4 })
  const keyword: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
    type: fc.oneof(
      fc.constantFrom('string', 'integer', 'number', 'boolean', 'object', 'array', 'null', 'file', 7),
      fc.array(fc.constantFrom('string', 'object', 'array', 'null'), { maxLength: 3 }),
    ),
    properties: fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'new', 'constructor'), fc.string()), tie('any'), {
      maxKeys: 4,
    }),
    required: fc.array(fc.constantFrom('a', 'b', 'z'), { maxLength: 3 }),
    items: fc.oneof(tie('any'), list),
    enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)), { maxLength: 4 }),
    additionalProperties: tie('any'),
    oneOf: list,
    anyOf: list,
    allOf: list,
    default: fc.oneof(fc.string(), fc.integer()),
    description: fc.string({ unit: 'binary' }),
  }
  const some = fc
    .subarray(Object.keys(keyword), { maxLength: 4 })
    .chain(keys => fc.record(Object.fromEntries(keys.map(key => [key, keyword[key] ?? tie('any')]))))
  const reference = fc.record({ $ref: fc.constantFrom('#/types/A', '#/types/B', '#/types/C', '#/types/D', 'x') })
  return {
    object: some,
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<JsonValue>({}, true, false),
      reference,
      some,
    ),
  }
})
const anyApi = fc.record({
  A: schemas.object,
  B: schemas.object,
  C: schemas.object,
  args: schemas.object,
  result: schemas.any,
})

// npm on Node 18 leaves the compiler out on some platforms.
const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')

describe('tsc --strict', { timeout: 120_000, skip: existsSync(tsc) ? false : `${tsc} is not here` }, () => {
  const found = new Map<string, string[]>()
  const files: Record<string, string> = {}
  let workspace: ReturnType<typeof makeWorkspace> | undefined

  const corpus = existsSync(registry) ? globSync('*.dadl', { cwd: registry }).toSorted() : []
  for (const file of corpus) {
    const { tools, api } = load(readFileSync(join(registry, file), 'utf8'), { root: '/', file })
    const name = basename(file, '.dadl')
    for (const detail of DETAILS)
      // As a script, the fullest of all APIs stand beside each other; any other is a module, alone.
      files[`corpus/${name}.${detail}.ts`] =
        generateTypes(api ?? describedApi({ name }), tools, { detail }) + (detail === 'full' ? '' : 'export {};\n')
  }
  files['shop.ts'] = generateTypes(...SHOP)
  files['cli.ts'] = generateTypes(COMMAND_LINE, [LOG])
  for (const detail of DETAILS) {
    files[`shop.${detail}.ts`] = `${generateTypes(...SHOP, { detail })}export {};\n`
    files[`cut.${detail}.ts`] = `${generateTypes(...SHOP, { detail, maxBytes: 500 })}export {};\n`
  }
  for (const [index, { code }] of SNIPPETS.entries()) files[`snippets/${index}.ts`] = `${code}\nexport {}\n`
  for (const [index, { args, result, ...types }] of fc.sample(anyApi, 150).entries()) {
    const tool = describedTool('get', { inputSchema: args, returns: { allOf: [{ properties: { result } }] } })
    const wrapped = describedTool('list', { returns: { oneOf: [result, { $ref: '#/types/A' }] }, paged: true })
    files[`samples/${index}.ts`] = `${generateTypes(describedApi({ types }), [tool, wrapped])}export {};\n`
  }

  before(async () => {
    const compilerOptions = { strict: true, noEmit: true, target: 'es2024', module: 'esnext', types: [] }
    workspace = makeWorkspace({ ...files, 'tsconfig.json': JSON.stringify({ compilerOptions, include: ['**/*.ts'] }) })
    const { stdout } = await run(NODE, [tsc, '--pretty', 'false', '-p', workspace.path], {
      cwd: workspace.path,
    })
    for (const line of stdout.split('\n')) {
      const [, file = 'tsc', code = line] = /^(\S+)\(\d+,\d+\): error (TS\d+)/.exec(line) ?? []
      if (line.trim() !== '' && !line.startsWith(' ')) found.set(file, [...(found.get(file) ?? []), code])
    }
  })
  after(() => workspace?.dispose())

  const clean = (prefix: string): void => {
    const names = Object.keys(files).filter(name => name.startsWith(prefix))
    assert.ok(names.length > 0)
    const bad = names
      .filter(name => found.has(name))
      .map(name => `${name}: ${found.get(name)?.join(' ')}\n${files[name]}`)
    assert.deepEqual(bad, [])
  }

  test('runs', () => assert.deepEqual(found.get('tsc'), undefined))

  test(
    'accepts all APIs of the registry, together and alone',
    { skip: corpus.length > 0 ? false : `${registry} is not here` },
    () => {
      assert.equal(corpus.length, 29)
      clean('corpus/')
    },
  )

  test('accepts every level of detail, cut or whole', () => {
    clean('shop')
    clean('cut')
    clean('cli')
  })

  test('accepts whatever the schemas are', () => clean('samples/'))

  for (const [index, { name, error }] of SNIPPETS.entries())
    test(`${error === undefined ? 'accepts' : 'refuses'}: ${name}`, () => {
      assert.deepEqual(found.get(`snippets/${index}.ts`) ?? [], error === undefined ? [] : [error])
    })
})
