import { Ajv2020 } from 'ajv/dist/2020.js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Tool } from '../../core/tool.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { load } from './load.ts'

const MANIFEST = `[tool]
name = "grep_count"
version = "1.2.0"
binary = "grep"
description = "Counts matching lines"
timeout_seconds = 5
risk_tier = "high"

[args.file]
position = 2
type = "path"
required = true

[args.max]
type = "integer"
position = 3
min = 1
max = 100
default = 10
description = "Most matches"

[args.pattern]
position = 1
required = true
pattern = "[a-z]+"

[args.quiet]
type = "boolean"
position = 4

[command]
exec = ["grep", "-c", "-m", "{max}", "{pattern}", "{file}"]

[output]
format = "json"

[output.schema]
properties.count = { type = "integer", format = "int32" }
`

function loadTool(text: string): Tool {
  const { tools, diagnostics } = load(text, { root: '/srv', file: '/srv/tools/grep.clad.toml' })
  const [tool] = tools
  assert.ok(tool !== undefined, JSON.stringify(diagnostics))
  return tool
}

describe('a loaded manifest', () => {
  const tool = loadTool(MANIFEST)

  it('says what it is', () => {
    const { name, format, version, file, riskTier, needsApproval, timeoutMs, annotations } = tool
    assert.deepEqual(
      { name, format, version, file, riskTier, needsApproval, timeoutMs, annotations },
      {
        name: 'grep_count',
        format: 'toolclad',
        version: '1.2.0',
        file: '/srv/tools/grep.clad.toml',
        riskTier: 'high',
        needsApproval: true,
        timeoutMs: 5000,
        annotations: { destructiveHint: true },
      },
    )
  })

  it('shows its arguments by position', () => {
    assert.deepEqual(
      tool.parameters.map(parameter => parameter.name),
      ['pattern', 'file', 'max', 'quiet'],
    )
    assert.deepEqual(tool.inputSchema, {
      type: 'object',
      properties: {
        pattern: { type: 'string', minLength: 1, pattern: '^(?:[a-z]+)$' },
        file: { type: 'string', minLength: 1 },
        max: { type: 'integer', minimum: 1, maximum: 100, description: 'Most matches', default: 10 },
        quiet: { type: 'boolean' },
      },
      required: ['pattern', 'file'],
      additionalProperties: false,
    })
  })

  it('shows an output schema that every envelope fits', async () => {
    const fits = new Ajv2020({ strict: false }).compile({ ...tool.outputSchema })
    const base = {
      kind: 'process' as const,
      scanId: '1-00000000',
      command: 'grep',
      startedAt: 0,
      durationMs: 1,
      stderr: Buffer.from(''),
      truncated: true,
    }
    for (const stdout of ['{"count": 1}', '{"count": "x"}', '[]', 'no json'])
      for (const ended of ['exited', 'timeout', 'cancelled', 'failed'] as const)
        for (const exitCode of [0, 1]) {
          const { result } = await tool.interpret({ ...base, ended, exitCode, stdout: Buffer.from(stdout) })
          assert.ok(fits(result.value), JSON.stringify([result.value, fits.errors]))
        }
  })

  it('is plain data apart from its functions', () => {
    const { binding, definition } = tool
    assert.deepEqual(JSON.parse(JSON.stringify({ binding, definition })), { binding, definition })
    assert.deepEqual(binding.data['argv'], [
      { literal: 'grep' },
      { literal: '-c' },
      { literal: '-m' },
      { value: 'max' },
      { value: 'pattern' },
      { value: 'file', path: true },
    ])
    assert.equal(binding.data['root'], '/srv')
    assert.deepEqual(binding.data['evidence'], { capture: true })
    assert.equal(binding.data['extension'], 'json')
  })

  it('has the same definition whatever is left to defaults, and another for another meaning', () => {
    const spelled = loadTool(
      `# a comment\n${MANIFEST.replace('[command]', '[command] # x').replace('[output]', '[output]\nenvelope = true')}`,
    )
    assert.equal(stableJson(spelled.definition), stableJson(tool.definition))
    assert.notEqual(stableJson(loadTool(MANIFEST.replace('"-c"', '"-l"')).definition), stableJson(tool.definition))
  })

  it('finds places after loading', () => {
    assert.deepEqual(tool.locate('/command/exec/0'), { line: 32, column: 9 })
  })

  it('keeps integers of 64 bits out of JSON numbers', () => {
    const wide = loadTool(MANIFEST.replace('max = 100', 'max = 9223372036854775807'))
    assert.deepEqual(wide.validate({ pattern: 'a', file: 'f', max: '9223372036854775807' }), {
      ok: true,
      values: { file: 'f', max: '9223372036854775807', pattern: 'a' },
    })
    const properties = wide.inputSchema['properties']
    assert.ok(isJsonObject(properties) && isJsonObject(properties['max']))
    assert.equal('maximum' in properties['max'], false)
    assert.match(stableJson(wide.definition), /"max":"9223372036854775807"/)
  })
})

describe('validate', () => {
  const tool = loadTool(MANIFEST)

  it('gives canonical values, defaults in, absent ones out', () => {
    assert.deepEqual(tool.validate({ pattern: 'abc', file: 'a/b', quiet: 'TRUE' }), {
      ok: true,
      values: { file: 'a/b', max: '10', pattern: 'abc', quiet: 'true' },
    })
  })

  it('refuses one fence per argument, in declaration order, unknown names last', () => {
    const validation = tool.validate({ patern: 'x', quiet: 3, max: 101, pattern: 'a;', __proto__x: 1 })
    assert.ok(!validation.ok)
    assert.deepEqual(
      validation.refusals.map(({ argument, fence }) => [argument, fence]),
      [
        ['file', 'required'],
        ['max', 'range'],
        ['pattern', 'metacharacter'],
        ['quiet', 'json_type'],
        ['patern', 'unknown_argument'],
        ['__proto__x', 'unknown_argument'],
      ],
    )
    assert.match(validation.refusals[4]?.message ?? '', /did you mean "pattern"/)
  })

  it('takes names of every object as unknown', () => {
    const given: JsonObject = { pattern: 'a', file: 'f', ['__proto__']: 1, constructor: 'x' }
    const validation = tool.validate(given)
    assert.ok(!validation.ok)
    assert.deepEqual(
      validation.refusals.map(refusal => refusal.argument),
      ['__proto__', 'constructor'],
    )
  })

  it('judges any JSON without throwing, and accepts only what its schema shows or spells as text', () => {
    const fits = new Ajv2020({ strict: false }).compile({ ...tool.inputSchema })
    const value: fc.Arbitrary<JsonValue> = fc.oneof(
      fc.json({ maxDepth: 1 }).map(text => toJson(text)),
      fc.integer(),
      fc.constantFrom('a', 'b/c', true),
    )
    const name = fc.constantFrom('pattern', 'file', 'max', 'quiet', 'other')
    fc.assert(
      fc.property(fc.dictionary(name, value), given => {
        const validation = tool.validate(given)
        const spelled = ['max', 'quiet'].some(key => typeof given[key] === 'string')
        if (validation.ok && !spelled) assert.ok(fits(given), JSON.stringify(given))
      }),
    )
  })

  it('keeps the answer to a flood of unknown names short', () => {
    const given = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`x${i}`, 1]))
    const validation = tool.validate(given)
    assert.ok(!validation.ok)
    assert.ok(validation.refusals.length < 200)
  })
})

function toJson(text: string): JsonValue {
  const value: unknown = JSON.parse(text)
  return isJsonObject(value) || typeof value === 'string' || typeof value === 'number' ? value : null
}

describe('load', () => {
  it('answers every text', () => {
    const fragments = [
      '[',
      ']',
      '{',
      '}',
      '=',
      '"',
      '\n',
      'a',
      '.',
      '1',
      '[tool]\n',
      '[args.x]\n',
      '[command]\n',
      'exec',
      'type',
      '__proto__',
      '{x}',
      '\0',
    ]
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...fragments)).map(parts => parts.join('')),
        text => {
          assert.ok(load(text, { root: '/' }).diagnostics.length > 0)
        },
      ),
    )
  })

  it('answers every value in every place', () => {
    const lines = MANIFEST.split('\n')
    const values = [
      '1',
      '1.5',
      'inf',
      'true',
      '"x"',
      '"{x}"',
      '[]',
      '[1]',
      '{}',
      '{ a = 1 }',
      '2020-01-01',
      '"\\u0000"',
      '99999999999999999999',
    ]
    fc.assert(
      fc.property(fc.nat({ max: lines.length - 1 }), fc.constantFrom(...values), (index, value) => {
        const line = lines[index] ?? ''
        const changed = lines.with(index, line.includes(' = ') ? `${line.split(' = ')[0]} = ${value}` : '')
        for (const tool of load(changed.join('\n'), { root: '/' }).tools) tool.validate({ pattern: 'a', file: 'f' })
      }),
    )
  })

  it('gives JSON output back as data, however odd or deep', async () => {
    const tool = loadTool(MANIFEST.slice(0, MANIFEST.indexOf('[output.schema]')))
    const run = async (stdout: string): Promise<JsonObject> => {
      const { result } = await tool.interpret({
        kind: 'process' as const,
        scanId: '1-0',
        command: '',
        startedAt: 0,
        durationMs: 0,
        ended: 'exited',
        exitCode: 0,
        stdout: Buffer.from(stdout),
        stderr: Buffer.from(''),
        truncated: false,
      })
      assert.ok(isJsonObject(result.value))
      return result.value
    }
    const { results } = await run('{"__proto__": {"x": 1}}')
    assert.ok(isJsonObject(results))
    assert.deepEqual(Object.keys(results), ['__proto__'])
    assert.equal((await run('['.repeat(256) + ']'.repeat(256)))['status'], 'success')
    for (const deep of ['['.repeat(257) + ']'.repeat(257), '['.repeat(1_000_000), '{"a":'.repeat(100_000)])
      assert.equal((await run(deep))['status'], 'error')
  })
})
