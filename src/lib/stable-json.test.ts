import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { parseJson } from './parse-json.ts'
import { stableJson } from './stable-json.ts'

describe('stableJson', () => {
  it('sorts keys at every depth and leaves no white space', () => {
    assert.equal(
      stableJson(parseJson('{"b":[{"d":1,"c":null}],"a":"x y","__proto__":2}')),
      '{"__proto__":2,"a":"x y","b":[{"c":null,"d":1}]}',
    )
  })

  it('is the same for the same value in another order, and says the value', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const value = parseJson(text)
        const written = stableJson(value)
        assert.equal(stableJson(parseJson(written)), written)
        assert.deepEqual(parseJson(written), parseJson(JSON.stringify(value)))
      }),
    )
  })
})
