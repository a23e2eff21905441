import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { describedApi, describedCommand, describedTool } from '../../../test/helpers/described.ts'
import type { Api } from '../../core/api.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Tool } from '../../core/tool.ts'
import { declareTypes } from './declared-types.ts'
import { COMMAND_LINE, DETAILS, generateTypes } from './index.ts'
import { codeName, namespaceName, typeNames } from './names.ts'
import { toType } from './schema-type.ts'

/** Everything that can be said of an API and its tools, with the given texts in all the places for texts. */
function everywhere(
  text: (place: string) => string,
  key: (place: string) => string = place => place,
): [Api, readonly Tool[]] {
  const inputSchema: JsonObject = {
    type: 'object',
    description: text('input'),
    properties: {
      [key('argument')]: { type: 'string', description: text('argument'), default: text('default') },
      [key('choice')]: { enum: [text('value')], description: text('choice') },
      [key('nested')]: {
        type: 'object',
        properties: { [key('inner')]: { type: 'string', description: text('inner') } },
      },
    },
    required: [key('choice')],
    additionalProperties: false,
  }
  const told = {
    description: text('tool'),
    inputSchema,
    returns: { type: 'array', items: { $ref: '#/types/Thing' } },
    hints: { [key('topic')]: text('hint') },
    deprecated: { reason: text('reason'), replacedBy: key('second') },
    dependsOn: [key('second')],
  }
  return [
    describedApi({
      name: key('api'),
      description: text('api'),
      version: text('version'),
      types: { Thing: { type: 'object', properties: { [key('member')]: { description: text('member') } } } },
      health: true,
      coverage: { focus: text('focus'), missing: text('missing') },
      examples: [{ name: text('example'), description: text('shows'), code: text('code') }],
    }),
    [describedTool(key('first'), told), describedTool(key('second'), { ...told, paged: true })],
  ]
}

/** What is left of a text without its comments and the insides of its strings. */
function skeleton(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"(?:[^"\\\n\r\u2028\u2029]|\\.)*"/g, found =>
      found.startsWith('"') ? '""' : '',
    )
    .replaceAll(/\s+/g, ' ')
    .replaceAll('; }', ' }') // members on lines of their own all end in one
    .trim()
}

/** Tags an editor would see. */
function tags(text: string): readonly string[] {
  return [...text.matchAll(/^\s*\/?\*+\s*@(\w*)/gm)].map(([, tag = '']) => tag)
}

const PIECES = [
  '*/',
  '/*',
  '//',
  '\n',
  '\r',
  '\u2028',
  '\u2029',
  '\u0085',
  '`',
  '${',
  '"',
  "'",
  '\\',
  '@deprecated ',
  '}',
  ';',
]
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES, '\ud800', '\udfff', '\u202e', '\0', '\u001b', '-->', '#!'),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map(parts => parts.join(''))

describe('text of a file', () => {
  test('stays in its comment or string, whatever it is', () => {
    const shape = (text: string, detail: (typeof DETAILS)[number]): readonly [string, number] => {
      const made = generateTypes(...everywhere(() => text), { detail })
      assert.ok(made.isWellFormed())
      assert.doesNotMatch(made.replaceAll('\n', ''), /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
      return [skeleton(made), tags(made).length]
    }
    const plain = new Map(DETAILS.map(detail => [detail, shape('plain', detail)]))
    fc.assert(
      fc.property(hostile, text => {
        for (const detail of DETAILS) {
          const [code, count] = shape(text, detail)
          assert.equal(code, plain.get(detail)?.[0])
          assert.equal(count, plain.get(detail)?.[1])
        }
      }),
    )
  })

  test('is no code as a name either', () => {
    const named = (suffix: string): string =>
      skeleton(
        generateTypes(
          ...everywhere(
            () => 'plain',
            place => (place === 'api' ? place : `${place} ${suffix}`),
          ),
        ),
      )
    fc.assert(fc.property(hostile, suffix => assert.equal(named(suffix), named('x'))))
  })
})

describe('names', () => {
  test('of types are identifiers, and different', () => {
    const names = fc.uniqueArray(
      fc.oneof(hostile, fc.constantFrom('a.b', 'a-b', 'a_b', 'string', 'Tools', '__proto__', 'constructor')),
    )
    fc.assert(
      fc.property(names, all => {
        const given = typeNames(all)
        assert.equal(new Set(given.values()).size, all.length)
        for (const identifier of given.values()) assert.match(identifier, /^[A-Za-z_$][\w$]*$/)
        assert.deepEqual(typeNames(all.toReversed()), given)
      }),
    )
    assert.equal(typeNames(['Customer']).get('Customer'), 'Customer')
  })

  test('of namespaces are identifiers, and different', () => {
    const apis = [
      'a-b',
      'a_b',
      'a$b',
      'a.b',
      'class',
      '1st',
      'globalThis',
      'A',
      'a',
      '__proto__',
      '',
      'ü',
      'api',
      'Tools',
    ]
    const given = apis.map(namespaceName)
    assert.equal(new Set(given).size, apis.length)
    for (const identifier of given) assert.match(identifier, /^[A-Za-z_$][\w$]*$/)
    assert.equal(namespaceName('github'), 'github')
  })

  test('of APIs leave the gateway’s own alone (ruling DADL 32)', () => {
    const apis = ['github', 'search', 'describe', 'result', 'cli', 'cli_api', 'climate']
    assert.deepEqual(apis.map(codeName), [
      'github',
      'search_api',
      'describe_api',
      'result_api',
      'cli_api',
      'cli_api_api',
      'climate',
    ])
  })

  test('that are everybody’s are members like any other', () => {
    const properties: JsonObject = Object.fromEntries(
      ['__proto__', 'constructor', 'new', 'toString'].map(name => [name, {}]),
    )
    const tools = ['__proto__', 'constructor', 'new'].map(name => describedTool(name, { inputSchema: { properties } }))
    const text = generateTypes(describedApi(), tools, { detail: 'signatures' })
    for (const name of ['__proto__', 'constructor', '"new"'])
      assert.ok(
        text.includes(
          `    ${name}(args?: { __proto__?: any; constructor?: any; "new"?: any; toString?: any }): Promise<any>;\n`,
        ),
        text,
      )
  })

  test('are members once', () => {
    const twice = [describedTool('a', { description: 'first' }), describedTool('a', { description: 'second' })]
    assert.equal(generateTypes(describedApi(), twice), generateTypes(describedApi(), twice.slice(0, 1)))
  })
})

describe('the same API', () => {
  test('gives the same text, in whatever order it is told', () => {
    const [api, tools] = everywhere(place => place)
    const more = { ...api, types: { ...api.types, Other: { properties: { b: {}, a: {} } } } }
    const all = [...tools, describedTool('third', { returns: { $ref: '#/types/Other' }, hints: { b: 1, a: 2 } })]
    for (const detail of DETAILS) {
      const text = generateTypes(more, all, { detail })
      assert.equal(generateTypes(more, all, { detail }), text)
      const turned = all.toReversed().map(tool => ({
        ...tool,
        inputSchema: turn(tool.inputSchema),
        hints: Object.fromEntries(Object.entries(tool.hints ?? {}).toReversed()),
      }))
      const types = { Other: turn(more.types.Other), Thing: turn(api.types['Thing'] ?? {}) }
      assert.equal(generateTypes({ ...more, types }, turned, { detail }), text)
    }
  })
})

/** Every mapping in the opposite order. */
function turn(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, isJsonObject(inner) ? turn(inner) : inner]),
  )
}

describe('a budget', () => {
  const [api, tools] = everywhere(place => `${place}: what there is to say. ü`)
  const many = Array.from({ length: 40 }, (_, index) =>
    tools.map(tool => ({ ...tool, name: `${tool.name}_${index}` })),
  ).flat()

  test('is kept, whatever it is', () => {
    const full = Buffer.byteLength(generateTypes(api, many))
    fc.assert(
      fc.property(fc.nat(full), fc.constantFrom(...DETAILS), (maxBytes, detail) => {
        const text = generateTypes(api, many, { maxBytes, detail })
        assert.ok(Buffer.byteLength(text) <= maxBytes)
        // Whole declarations, or a comment alone.
        const code = skeleton(text)
        assert.equal(code.split('{').length, code.split('}').length)
        assert.ok(code === '' || code.endsWith('declare var api: Apis;'), code)
        if (text !== generateTypes(api, many, { detail }))
          assert.ok(text === '' || text.endsWith('All of it: sallyport types api\n'), text)
      }),
    )
  })

  test('leaves out what is needed least', () => {
    const sizes = DETAILS.map(detail => generateTypes(api, many, { detail }).length)
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => a - b),
    )
    const at = (maxBytes: number): string => generateTypes(api, many, { maxBytes }).split('\n').at(-2) ?? ''
    const [names = 0, signatures = 0, full = 0] = DETAILS.map(detail =>
      Buffer.byteLength(generateTypes(api, many, { detail })),
    )
    assert.doesNotMatch(at(full), /Left out/)
    assert.match(at(full - 1), /descriptions, hints and defaults/)
    assert.match(at(signatures + 10), /arguments, results and descriptions/)
    assert.match(at(names + 10), /all but names/)
    assert.match(at(names / 3), /: \d+ of 80 tools, and all but the names/)
    assert.match(at(80), /^\/\/ api\.api: 80 tools\. /)
  })
})

describe('tools of the command line', () => {
  const envelope = (results: JsonValue): JsonObject => ({
    type: 'object',
    properties: { status: { enum: ['success', 'error'] }, exit_code: { type: 'integer' }, results },
    required: ['status', 'exit_code', 'results'],
  })
  const [log, scan] = [
    describedCommand('git_log', { outputSchema: envelope({ type: 'array', items: { type: 'string' } }) }),
    describedCommand('db.read', { outputSchema: envelope({ anyOf: [{ type: 'object' }, { type: 'string' }] }) }),
  ]

  test('give their envelope', () => {
    const text = generateTypes(COMMAND_LINE, [log, scan], { detail: 'signatures' })
    for (const line of [
      'interface Envelope<Results> { exit_code: number; results: Results; status: "success" | "error" }',
      'git_log(): Promise<Envelope<string[]>>;',
      '"db.read"(): Promise<Envelope<{ [key: string]: any } | string>>;',
      'cli: cli.Tools;',
    ])
      assert.ok(text.includes(line), text)
  })

  test('are apart from an API of that name', () => {
    const text = generateTypes(describedApi({ name: 'cli' }), [describedTool('git_log', { backend: 'cli' })])
    assert.match(text, /cli_api: cli_api\.Tools;/)
    assert.doesNotMatch(text, /Envelope/)
  })
})

describe('what is not shown', () => {
  test('is not pointed to', () => {
    const tool = describedTool('old', { dependsOn: ['secret'], deprecated: { reason: 'slow', replacedBy: 'secret' } })
    const alone = generateTypes(describedApi(), [tool])
    assert.match(alone, /@deprecated slow/)
    assert.doesNotMatch(alone, /secret/)
    assert.match(generateTypes(describedApi(), [tool, describedTool('secret')]), /use `secret` instead/)
  })

  test('are types no tool names', () => {
    const types = { A: { properties: { b: { $ref: '#/types/B' } } }, B: { $ref: '#/types/A' }, C: {} }
    const text = generateTypes(describedApi({ types }), [describedTool('get', { returns: { $ref: '#/types/A' } })])
    assert.match(text, /interface A [^]*type B = A;/)
    assert.doesNotMatch(text, /\bC\b/)
  })
})

describe('schemas', () => {
  const context = (types: Api['types']) => ({ ...declareTypes(types), documented: false })

  test('nested beyond measure end in any', () => {
    let schema: JsonObject = { type: 'string' }
    for (let level = 0; level < 5000; level++) schema = { type: 'array', items: schema }
    assert.equal(toType(schema, context({})), `any${'[]'.repeat(33)}`)
  })

  test('whose intersections multiply end in any', () => {
    const wide = { enum: Array.from({ length: 200 }, (_, index) => index) }
    assert.equal(toType({ allOf: [wide, { ...wide, enum: [1, 2] }] }, context({})).endsWith('& (1 | 2)'), true)
    assert.equal(
      toType({ allOf: [wide, { oneOf: [wide, {}, { type: 'string' }] }] }, context({})).startsWith('0 | 1'),
      true,
    )
    assert.equal(
      toType({ allOf: [{ $ref: '#/types/A' }, { $ref: '#/types/B' }] }, context({ A: wide, B: wide })),
      'any',
    )
  })
})
