import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { JsonValue } from '../../core/json.ts'
import { encodeComponent } from '../../lib/encode-component.ts'
import { toHeader, toQuery, toText } from './encode.ts'

describe('a value in a path', () => {
  for (const [value, want] of [
    ['a/b', 'a%2Fb'],
    ["*!'()", '%2A%21%27%28%29'],
    ['a b+c', 'a%20b%2Bc'],
    ['é🚪', '%C3%A9%F0%9F%9A%AA'],
    ['-._~', '-._~'],
    ['%2e%2e', '%252e%252e'],
    ['a?b#c', 'a%3Fb%23c'],
  ] as const)
    test(value, () => assert.equal(encodeComponent(value), want))

  test('is one segment, and decodes to itself (property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        const encoded = encodeComponent(text)
        assert.match(encoded, /^[A-Za-z0-9\-._~%]*$/)
        assert.equal(decodeURIComponent(encoded), text)
      }),
    )
  })
})

describe('a value in a query', () => {
  const cases: readonly (readonly [string, JsonValue, string])[] = [
    ['a list repeats its key', ['x', 2], 'k=x&k=2'],
    ['an object names its members', { a: 1, b: { c: 'd e' } }, 'k%5Ba%5D=1&k%5Bb%5D%5Bc%5D=d%20e'],
    ['a list in an object', { sub: ['a', 'b'] }, 'k%5Bsub%5D=a&k%5Bsub%5D=b'],
    ['booleans', [true, false], 'k=true&k=false'],
    ['nulls are left out', [null, { a: null }], ''],
    ['an empty list is nothing', [], ''],
    ['an empty text is sent', '', 'k='],
  ]
  for (const [name, value, want] of cases) test(name, () => assert.equal(toQuery('k', value).join('&'), want))
})

describe('a number', () => {
  for (const [value, want] of [
    [1e21, '1000000000000000000000'],
    [1.5e-7, '0.00000015'],
    [-2.5e-10, '-0.00000000025'],
    [1.234e25, '12340000000000000000000000'],
    [0.1, '0.1'],
    [-5, '-5'],
  ] as const)
    test(want, () => assert.equal(toText(value), want))

  test('has no exponent, and is the same number (property)', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => {
        const text = toText(value)
        assert.match(text, /^-?\d+(\.\d+)?$/)
        assert.equal(Number(text) + 0, value + 0)
      }),
    )
  })
})

test('a list in a header is joined by commas', () => assert.equal(toHeader(['a', 1, true]), 'a,1,true'))
