import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { compareDocuments } from './against.ts'

interface Sections {
  readonly version?: string | number
  readonly tools?: object
  readonly composites?: object
}

function document({ version, tools = { keep: {} }, composites = {} }: Sections): object {
  return { backend: { ...(version === undefined ? {} : { version }), tools, composites } }
}

function messages(old: Sections, now: Sections): readonly string[] {
  return compareDocuments(document(old), document(now)).map(({ code, message }) => `${code}: ${message}`)
}

function withParams(params: object): object {
  return { keep: { params } }
}

const id = { type: 'string', in: 'query' }

test('a tool that is gone must have been deprecated before', () => {
  const gone = { version: '2.0', tools: { keep: {} } }
  const old = (tool: object): Sections => ({ version: '1.2', tools: { keep: {}, list: tool } })
  for (const deprecated of [true, 'fails on large accounts']) assert.deepEqual(messages(old({ deprecated }), gone), [])
  for (const tool of [{}, { deprecated: false }])
    assert.deepEqual(compareDocuments(document(old(tool)), document(gone)), [
      {
        code: 'removed_undeprecated',
        message:
          'the tool "list" is gone and was not deprecated before: keep it, with deprecated and replaced_by, until the next major version',
        path: '/backend/tools',
      },
    ])
  // A composite that takes the name takes the place, and one that goes could not have been deprecated.
  assert.deepEqual(messages(old({}), { ...gone, composites: { list: {} } }), [])
  assert.deepEqual(messages({ version: '1.2', composites: { all: {} } }, { version: '2.0' }), [])
})

test('what can break a caller needs a major version', () => {
  const cases: readonly (readonly [Sections, Sections, string])[] = [
    [{ tools: { keep: {}, a: { deprecated: true } } }, {}, '"a" is gone'],
    [{ composites: { all: {} } }, {}, '"all" is gone'],
    [{ tools: withParams({ id }) }, {}, 'the parameter "id" of "keep" is gone'],
    [{}, { tools: withParams({ id: { ...id, required: true } }) }, 'the parameter "id" of "keep" is now required'],
    [{}, { tools: withParams({ id: { type: 'string', in: 'path' } }) }, 'the parameter "id" of "keep" is now required'],
    [
      { tools: withParams({ id }) },
      { tools: withParams({ id: { ...id, required: true } }) },
      'the parameter "id" of "keep" is now required',
    ],
    [
      { tools: withParams({ id: { ...id, required: true, default: '' } }) },
      { tools: withParams({ id: { ...id, required: true } }) },
      'the parameter "id" of "keep" is now required',
    ],
    [
      { tools: withParams({ id }) },
      { tools: withParams({ id: { ...id, type: 'integer' } }) },
      'the parameter "id" of "keep" has another type',
    ],
    [
      { tools: withParams({ id }) },
      { tools: withParams({ id: { ...id, in: 'header' } }) },
      'the parameter "id" of "keep" has another location',
    ],
  ]
  for (const [old, now, change] of cases) {
    for (const version of ['1.2.3', '1.2.4', '1.3'])
      assert.deepEqual(messages({ version: '1.2.3', ...old }, { version, ...now }), [
        `version_bump: ${version} says too little, expected 2.0 or newer: ${change}`,
      ])
    assert.deepEqual(messages({ version: '1.2.3', ...old }, { version: '2.0', ...now }), [])
  }
})

test('a new tool needs a minor version, anything else none', () => {
  const added = { tools: { keep: {}, more: {} } }
  assert.deepEqual(messages({ version: '1.2' }, { version: '1.2.1', ...added }), [
    'version_bump: 1.2.1 says too little, expected 1.3 or newer: "more" is new',
  ])
  assert.deepEqual(messages({ version: '1.2' }, { version: '1.3', ...added }), [])
  assert.deepEqual(messages({ version: '1.2' }, { version: '2.0', ...added }), [])
  for (const params of [{ id }, { id: { ...id, required: true, default: 'x' } }])
    assert.deepEqual(messages({ version: '1.2' }, { version: '1.2.0', tools: withParams(params) }), [])
})

test('a version neither goes back nor away', () => {
  assert.deepEqual(messages({ version: '1.2' }, { version: '1.1.9' }), ['version_bump: 1.1.9 is older than 1.2'])
  assert.deepEqual(messages({ version: '1.2' }, { version: '1.2.0-rc.1' }), [
    'version_bump: 1.2.0-rc.1 is older than 1.2',
  ])
  assert.deepEqual(messages({ version: '1.2' }, {}), [
    'version_bump: version: this key is needed; the old document says 1.2',
  ])
  assert.deepEqual(messages({ version: '1.2' }, { version: 'new' }), [
    'version_bump: "new" is no version: expected MAJOR.MINOR or MAJOR.MINOR.PATCH',
  ])
  assert.deepEqual(messages({ version: 1 }, { version: '1.2' }), [
    'version_bump: the old document\'s version, "1", cannot be compared',
  ])
  // A document of nobody else's business has no version, before or after (DADL spec 4.5).
  assert.deepEqual(messages({}, { version: '1.0' }), [])
  assert.deepEqual(messages({ composites: { all: {} } }, {}), [])
})

test('pre-releases of one version may still differ', () => {
  const old = { version: '2.0-rc.1', composites: { all: {} } }
  assert.deepEqual(messages(old, { version: '2.0-rc.2' }), [])
  assert.deepEqual(messages(old, { version: '2.0' }), [])
  assert.equal(messages(old, { version: '2.0-rc.1' }).length, 1)
})

test('a long list of changes is cut', () => {
  const composites = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`c${index}`, {}]))
  assert.match(messages({ version: '1.0', composites }, { version: '1.1' })[0] ?? '', /"c4" is gone; and 3 more$/)
})

test('a document owes nothing to itself, and no value throws', () => {
  const name = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString')
  const tool = fc.record({ deprecated: fc.boolean(), params: fc.dictionary(name, fc.record({ type: fc.string() })) })
  const file = fc.record({
    backend: fc.record({
      version: fc.constantFrom('1.0', '1.2.3', '0.1-a'),
      tools: fc.dictionary(name, tool),
      composites: fc.dictionary(name, tool),
    }),
  })
  fc.assert(fc.property(file, one => assert.deepEqual(compareDocuments(one, structuredClone(one)), [])))
  fc.assert(
    fc.property(fc.oneof(fc.anything(), file), fc.oneof(fc.anything(), file), (a, b) => {
      for (const { path } of compareDocuments(a, b)) assert.match(path, /^\/backend/)
    }),
  )
})
