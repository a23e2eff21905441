import assert from 'node:assert/strict'
import { test } from 'node:test'
import { edited } from './edit.ts'

test('edits keep the order of keys, add what is missing, and the outer one counts', () => {
  const value = { a: { b: 1, c: 2 }, d: [{ e: 1 }, { e: 2 }], f: 3 }
  const edits = [
    { path: ['a', 'b'], by: undefined },
    { path: ['d', 1, 'e'], by: 5 },
    { path: ['g'], by: 'new' },
    { path: ['f', 'x'], by: 1 },
  ]
  assert.equal(JSON.stringify(edited(value, edits)), '{"a":{"c":2},"d":[{"e":1},{"e":5}],"f":3,"g":"new"}')
  assert.deepEqual(
    edited(value, [
      { path: ['a', 'b'], by: 7 },
      { path: ['a'], by: undefined },
    ]),
    { d: value.d, f: 3 },
  )
  assert.equal(edited(value, [{ path: [], by: 1 }]), 1)
  assert.deepEqual(edited(value, []), value)
})
