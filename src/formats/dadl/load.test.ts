import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { PROFILES } from '../format.ts'
import { load } from './load.ts'

const HEAD =
  'spec: https://dadl.ai/spec/dadl-spec-v0.2.md\nbackend:\n  name: a\n  type: rest\n  base_url: https://api.example.com\n  auth: {type: bearer, credential: none}\n  description: d\n'

describe('a document', () => {
  test('published with a path that cannot be read fails where the path is needed, never with the whole body', async () => {
    const text = `${HEAD.replace('v0.2', 'v0.1')}  tools:\n    t: {method: GET, path: /x, description: d, response: {result_path: "$..a"}, errors: {message_path: "$.a[?@.b]"}}\n`
    const [tool] = load(text, { root: '/' }).tools
    const outcomes = await Promise.all(
      [200, 404].map(async status => {
        const answer = { status, headers: {}, body: Buffer.from('{"a": "private"}') }
        const found = await tool?.interpret({ kind: 'http', method: 'GET', answer })
        assert.doesNotMatch(JSON.stringify(found), /private/)
        return found?.ok === false ? found.code : 'ok'
      }),
    )
    assert.deepEqual(outcomes, ['response_error', 'not_found'])
  })

  test('names files by a text, as JSON Schema has no type for them', () => {
    const text = `${HEAD}  tools:\n    t: {method: POST, path: /x, description: d, params: {f: {type: file_url, in: body}}}\n`
    assert.deepEqual(load(text, { root: '/' }).tools[0]?.inputSchema['properties'], { f: { type: 'string' } })
  })

  test('is masked nowhere in the messages of what a password in its address breaks', () => {
    const text = `${HEAD.replace('api.example.com', 'u:hunter2@api.example.com')}  tools: {t: {method: GET, path: /x, description: d}}\n`
    const { diagnostics } = load(text, { root: '/' })
    assert.equal(diagnostics.length, 1)
    assert.doesNotMatch(JSON.stringify(diagnostics), /hunter2/)
  })

  test('names the same tools under the name of its deployment', () => {
    const text = `${HEAD}  tools: {t: {method: GET, path: /x, description: d}}\n`
    const api = { name: 'mine', file: '/x', allowPrivate: false, credentials: {} }
    const { tools, api: described } = load(text, { root: '/', api })
    assert.deepEqual([tools[0]?.backend, described?.name], ['mine', 'mine'])
  })

  test('never makes the loader throw, whatever it is (property)', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.constantFrom(...PROFILES), (text, profile) =>
        Array.isArray(load(text, { root: '/', profile }).diagnostics),
      ),
    )
  })

  test('with a place for every problem when single characters and lines of it change (property)', () => {
    fc.assert(
      fc.property(fc.nat(WHOLE.length), fc.nat(3), fc.string({ maxLength: 4 }), (at, cut, added) => {
        const text = WHOLE.slice(0, at) + added + WHOLE.slice(at + cut)
        assertPlaced(text)
        const lines = WHOLE.split('\n')
        const line = at % lines.length
        assertPlaced([...lines.slice(0, line), ...lines.slice(line + 1)].join('\n'))
        assertPlaced([...lines.slice(0, line), lines[line] ?? '', ...lines.slice(line)].join('\n'))
      }),
    )
  })
})

/** Something of every section. */
const WHOLE = `spec: https://dadl.ai/spec/dadl-spec-v0.2.md
requires: {features: [returns]}
_page: &page {strategy: cursor, request: {cursor_param: c, limit_param: n, limit_default: 5}}
includes: [{path: f.yaml, merge_into: backend.defaults.errors}]
backend:
  name: a
  type: rest
  description: d
  base_url: https://api.example.com
  auth:
    type: session
    login: {method: POST, path: /login, extract: {token: "$.token"}}
    inject: [{header: X-T, value: "{{token}}"}]
  types: {T: {type: object, properties: {t: T}}}
  defaults: {pagination: *page, errors: {map: {404: gone}}}
  health: {tool: t}
  hints: {t: {x: 1}}
  tools:
    t: {method: GET, path: "/x", description: d, returns: T}
    u: {method: POST, path: "/x/{id}", description: d, params: {id: {type: string, in: path}}, replaced_by: t}
  composites:
    c: {description: d, code: return 1, delegates: [t], timeout: 5s}
`

function assertPlaced(text: string): void {
  const lines = text.split(/\r\n|\n|\r/)
  for (const profile of PROFILES) {
    const readFile = (file: string) => ({ file, text: '_fragment: true\nmap: {404: gone}\n' })
    const { tools, diagnostics } = load(text, { root: '/', profile, readFile })
    assert.ok(tools.length === 0 || !diagnostics.some(({ severity }) => severity === 'error'))
    for (const { line, column, file } of diagnostics)
      if (file === undefined) assert.ok(line >= 1 && line <= lines.length && column >= 1, text)
  }
}

test('the document of the properties is a good one', () => {
  const readFile = (file: string) => ({ file, text: '_fragment: true\nmap: {404: gone}\n' })
  assert.deepEqual(load(WHOLE, { root: '/', profile: 'validate', readFile }).diagnostics, [])
})
