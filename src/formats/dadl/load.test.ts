import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { load } from './load.ts'

const HEAD =
  'spec: https://dadl.ai/spec/dadl-spec-v0.2.md\nbackend:\n  name: a\n  type: rest\n  base_url: https://api.example.com\n  auth: {type: bearer, credential: none}\n  description: d\n'

function problems(text: string): readonly string[] {
  return load(text, { root: '/' }).diagnostics.map(d => `${d.severity} ${d.code} ${d.line}:${d.column} ${d.path}`)
}

describe('a document', () => {
  test('becomes tools with schemas, hashes and places', () => {
    const text = `${HEAD}  tools:\n    get:\n      method: get\n      path: /x/{id}\n      access: read\n      description: Gets\n      params:\n        id: {type: string, in: path, description: The id}\n        n: {type: array, in: query, default: [1]}\n`
    const { tools, diagnostics } = load(text, { root: '/' })
    assert.deepEqual(diagnostics, [])
    const [tool] = tools
    assert.deepEqual([tool?.name, tool?.backend, tool?.access, tool?.description], ['get', 'a', 'read', 'Gets'])
    assert.deepEqual(tool?.inputSchema, {
      type: 'object',
      properties: { id: { type: 'string', description: 'The id' }, n: { type: 'array', items: {}, default: [1] } },
      required: ['id'],
      additionalProperties: false,
    })
    assert.deepEqual(tool?.locate(''), { line: 9, column: 5 })
  })

  const cases: readonly { readonly name: string; readonly text: string; readonly want: readonly string[] }[] = [
    { name: 'no YAML', text: 'a: [', want: ['error syntax 1:1 '] },
    { name: 'a key twice', text: `${HEAD}  tools: {}\n  name: b\n`, want: ['error duplicate_key 3:3 /backend/name'] },
    { name: 'nothing needed', text: 'spec: x\n', want: ['error missing_key 1:1 /backend'] },
    {
      name: 'another specification',
      text: HEAD.replace('dadl.ai/spec/dadl', 'example.com/x') + '  tools: {}\n',
      want: ['error spec_unknown 1:1 /spec'],
    },
    {
      name: 'a newer one',
      text: HEAD.replace('v0.2', 'v0.3') + '  tools: {}\n',
      want: ['warning spec_newer 1:1 /spec'],
    },
    {
      name: 'wrong values, all of them',
      text: `${HEAD}  tools:\n    t:\n      method: FETCH\n      path: 5\n      description: d\n      params: {a: {type: text, in: cookie}}\n`,
      want: [
        'error unknown_value 10:7 /backend/tools/t/method',
        'error wrong_type 11:7 /backend/tools/t/path',
        'error unknown_value 13:20 /backend/tools/t/params/a/type',
        'error unknown_value 13:32 /backend/tools/t/params/a/in',
      ],
    },
    {
      name: 'placeholders and parameters that do not match',
      text: `${HEAD}  tools:\n    t: {method: GET, path: "/{a}", description: d, params: {b: {type: string, in: path}}}\n`,
      want: [
        'error path_param_mismatch 9:22 /backend/tools/t/path',
        'error path_param_mismatch 9:22 /backend/tools/t/path',
      ],
    },
    {
      name: 'a path that leaves the address',
      text: `${HEAD}  tools:\n    t: {method: GET, path: "/../admin", description: d}\n    u: {method: GET, path: "//evil.example/x", description: d}\n`,
      want: ['error path_invalid 9:22 /backend/tools/t/path', 'error path_invalid 10:22 /backend/tools/u/path'],
    },
    {
      name: 'a header that is not the caller’s to set',
      text: `${HEAD.replace('none', 'key')}  tools:\n    t: {method: GET, path: /x, description: d, params: {authorization: {type: string, in: header}, Host: {type: string, in: header}}}\n`,
      want: [
        'error header_forbidden 9:57 /backend/tools/t/params/authorization',
        'error header_forbidden 9:100 /backend/tools/t/params/Host',
      ],
    },
    {
      name: 'a path outside the dialect',
      text: `${HEAD}  tools:\n    t: {method: GET, path: /x, description: d, response: {result_path: "$..a"}}\n`,
      want: ['error jsonpath_dialect 9:5 /backend/tools/t'],
    },
    {
      name: 'a path that a URL reads differently',
      text: `${HEAD}  tools:\n    t: {method: GET, path: "/%2E%2e/admin", description: d}\n    u: {method: GET, path: "/x#y", description: d}\n    v: {method: GET, path: '/..\\admin', description: d}\n`,
      want: [
        'error path_invalid 9:22 /backend/tools/t/path',
        'error path_invalid 10:22 /backend/tools/u/path',
        'error path_invalid 11:22 /backend/tools/v/path',
      ],
    },
    {
      name: 'headers that are none, or the same',
      text: `${HEAD}  tools:\n    t: {method: GET, path: /x, description: d, params: {"a b": {type: string, in: header}, X-A: {type: string, in: header}, x-a: {type: string, in: header}}}\n`,
      want: [
        'error header_forbidden 9:57 /backend/tools/t/params/a b',
        'error header_forbidden 9:125 /backend/tools/t/params/x-a',
      ],
    },
    {
      name: 'a default that is no value of its parameter',
      text: `${HEAD}  tools:\n    t: {method: GET, path: /x, description: d, params: {a: {type: integer, in: query, default: many}, b: {type: integer, in: query, default: "7"}}}\n`,
      want: ['error wrong_type 9:87 /backend/tools/t/params/a/default'],
    },
    {
      name: 'a default header that ends its line',
      text: `${HEAD}  defaults: {headers: {X-A: "1\\r\\nX-B: 2"}}\n  tools: {}\n`,
      want: ['error header_forbidden 8:24 /backend/defaults/headers/X-A'],
    },
    {
      name: 'the query parameter of the credential',
      text: `${HEAD.replace('{type: bearer, credential: none}', '{type: apikey, credential: k, inject_into: query, query_param: key}')}  tools:\n    t: {method: GET, path: /x, description: d, params: {key: {type: string, in: query}}}\n    u: {method: GET, path: "/x?k%65y=1", description: d}\n`,
      want: [
        'error query_forbidden 9:57 /backend/tools/t/params/key',
        'error query_forbidden 10:22 /backend/tools/u/path',
      ],
    },
    {
      name: 'a credential without its name',
      text: `${HEAD.replace('bearer, credential: none', 'apikey')}  tools: {}\n`,
      want: ['error missing_key 6:3 /backend/auth'],
    },
    {
      name: 'a credential without its place',
      text: `${HEAD.replace('bearer, credential: none', 'apikey, credential: k, inject_into: query')}  tools: {}\n`,
      want: ['error query_param_missing 6:3 /backend/auth'],
    },
    ...['?a=b', '#f'].map(end => ({
      name: `an address that ends in ${end}`,
      text: `${HEAD.replace('example.com', `example.com/x${end}`)}  tools: {}\n`,
      want: ['error base_url_invalid 5:3 /backend/base_url'],
    })),
    {
      name: 'an address with a password',
      text: `${HEAD.replace('api.example.com', 'u:p@api.example.com')}  tools: {}\n`,
      want: ['error base_url_invalid 5:3 /backend/base_url'],
    },
    {
      name: 'what needs more than this version does',
      text: `${HEAD}  tools:\n    t: {method: GET, path: /x, description: d, pagination: {strategy: page, behavior: auto}}\n    u: {method: GET, path: /x, description: d, params: {a: {type: string, in: body}}}\n    v: {method: GET, path: /x, description: d, pagination: {strategy: page, behavior: expose}}\n`,
      want: ['warning unsupported 9:5 /backend/tools/t', 'warning unsupported 10:5 /backend/tools/u'],
    },
    {
      name: 'a path outside the dialect, published before it was fixed',
      text: `${HEAD.replace('v0.2', 'v0.1')}  tools:\n    t: {method: GET, path: /x, description: d, response: {result_path: "$..a"}}\n`,
      want: ['warning jsonpath_dialect 9:5 /backend/tools/t'],
    },
    {
      name: 'what it requires',
      text: HEAD.replace('backend:', 'requires: {features: [composites]}\nbackend:') + '  tools: {}\n',
      want: ['error requires_unsatisfied 2:1 /requires'],
    },
    {
      name: 'no address',
      text: HEAD.replace(/ {2}base_url.*\n/, '') + '  tools: {}\n',
      want: ['warning base_url_missing 2:1 /backend'],
    },
  ]
  for (const { name, text, want } of cases) test(name, () => assert.deepEqual(problems(text), want))

  test('published with a path that cannot be read fails where the path is needed, never with the whole body', async () => {
    const text = `${HEAD.replace('v0.2', 'v0.1')}  tools:\n    t: {method: GET, path: /x, description: d, response: {result_path: "$..a"}, errors: {message_path: "$.a[?@.b]"}}\n`
    const [tool] = load(text, { root: '/' }).tools
    const outcomes: string[] = []
    for (const status of [200, 404]) {
      const answer = { status, headers: {}, body: Buffer.from('{"a": "private"}') }
      const found = await tool?.interpret({ kind: 'http', method: 'GET', answer })
      assert.doesNotMatch(JSON.stringify(found), /private/)
      outcomes.push(found?.ok === false ? found.code : 'ok')
    }
    assert.deepEqual(outcomes, ['response_error', 'not_found'])
  })

  test('names files by a text, as JSON Schema has no type for them', () => {
    const text = `${HEAD}  tools:\n    t: {method: POST, path: /x, description: d, params: {f: {type: file_url, in: body}}}\n`
    assert.deepEqual(load(text, { root: '/' }).tools[0]?.inputSchema['properties'], { f: { type: 'string' } })
  })

  test('never makes the loader throw, whatever it is (property)', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => Array.isArray(load(text, { root: '/' }).diagnostics)),
    )
  })
})
