import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { didYouMean, nearest } from './nearest.ts'

const NAMES = ['string', 'integer', 'boolean', 'ip_address', 'scope_target', 'path']

describe('nearest', () => {
  const cases = [
    { name: 'a missing letter', word: 'strng', want: 'string' },
    { name: 'swapped letters', word: 'intgeer', want: 'integer' },
    { name: 'another case', word: 'Path', want: 'path' },
    { name: 'the beginning', word: 'bool', want: 'boolean' },
    { name: 'a shared last word', word: 'target_ip', want: 'ip_address' },
    { name: 'a shared first word', word: 'target_x', want: 'scope_target' },
    { name: 'nothing alike', word: 'float', want: undefined },
    { name: 'a very long word', word: 'string'.repeat(100), want: undefined },
  ]
  for (const { name, word, want } of cases) it(name, () => assert.equal(nearest(word, NAMES), want))

  it('is put in words', () => {
    assert.equal(didYouMean('x'), ' (did you mean "x"?)')
    assert.equal(didYouMean(undefined), '')
  })
})
