import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonValue } from '../core/json.ts'
import { maskArguments } from './mask.ts'

describe('arguments that are never stored', () => {
  for (const name of [
    'password',
    'secret',
    'token',
    'api_key',
    'apikey',
    'access_token',
    'refresh_token',
    'authorization',
    'credential',
    'private_key',
    'client_secret',
    'cookie',
    'PASSWORD',
    'Api-Key',
    'accessToken',
    'X_token'.slice(2),
    'client-secret',
  ])
    test(name, () => assert.deepEqual(maskArguments({ [name]: 'x', other: 1 }), { [name]: '[masked]', other: 1 }))

  test('at any depth, in lists too, whatever their type', () => {
    assert.deepEqual(maskArguments({ a: [{ b: { Token: { deep: 1 } } }], token: null }), {
      a: [{ b: { Token: '[masked]' } }],
      token: '[masked]',
    })
  })

  test('names that only contain one are stored', () => {
    assert.deepEqual(maskArguments({ tokens: 1, passwordless: 2 }), { tokens: 1, passwordless: 2 })
  })
})

describe('what is no JSON', () => {
  const NO_JSON = '[left out: no JSON value]'
  for (const { name, args, stored } of [
    { name: 'undefined', args: { a: undefined, token: undefined }, stored: { a: NO_JSON, token: '[masked]' } },
    { name: 'a big integer', args: { a: [1n] }, stored: { a: [NO_JSON] } },
    { name: 'a function', args: { a: () => 1 }, stored: { a: NO_JSON } },
    { name: 'a symbol', args: { a: Symbol('a') }, stored: { a: NO_JSON } },
    { name: 'not a number', args: { a: [NaN, Infinity, -0.5] }, stored: { a: [NO_JSON, NO_JSON, -0.5] } },
    { name: 'no arguments at all', args: undefined, stored: NO_JSON },
    { name: 'null for arguments', args: null, stored: null },
    { name: 'a list for arguments', args: [{ token: 1 }], stored: [{ token: '[masked]' }] },
    { name: 'an instance', args: { a: new Map([['token', 1]]) }, stored: { a: {} } },
  ])
    test(`an embedder's ${name} is recorded too`, () => assert.deepEqual(maskArguments(args), stored))

  test('an object that holds itself ends', () => {
    const loop: { self?: unknown; list: unknown[] } = { list: [] }
    loop.self = loop
    loop.list.push(loop, loop)
    assert.ok(JSON.stringify(maskArguments(loop)).length < 28 * 1024)
  })
})

describe('what is too much', () => {
  test('a long text is cut and says so', () => {
    const stored = JSON.stringify(maskArguments({ text: 'x'.repeat(5000) }))
    assert.match(stored, /^\{"text":"x{4096}\[… 904 more characters\]"\}$/)
  })

  test('depth and size are bounded', () => {
    let deep: JsonValue = 'end'
    for (let level = 0; level < 10_000; level++) deep = [deep]
    assert.match(JSON.stringify(maskArguments({ deep })), /nested too deeply/)
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key${n}`, 'value']))
    const stored = JSON.stringify(maskArguments({ wide, list: Array.from({ length: 100_000 }, () => 'item') }))
    assert.ok(stored.length < 200_000, String(stored.length))
    assert.match(stored, /too large/)
  })

  for (const { name, item } of [
    { name: 'empty lists', item: [] },
    { name: 'empty objects', item: {} },
    { name: 'empty texts', item: '' },
    { name: 'nulls', item: null },
    { name: 'control characters', item: '\u0001'.repeat(4096) },
    { name: 'letters of three bytes', item: '語'.repeat(4096) },
    { name: 'masked members', item: { token: 'x' } },
    { name: 'long names', item: { ['n'.repeat(5000)]: 1 } },
  ] satisfies { name: string; item: JsonValue }[])
    test(`a hundred thousand ${name} stay within 28 KiB of JSON`, () => {
      const stored = JSON.stringify(maskArguments({ list: Array.from({ length: 100_000 }, () => item) }))
      assert.ok(Buffer.byteLength(stored) <= 28 * 1024, String(Buffer.byteLength(stored)))
      assert.match(stored, /too large/)
    })

  test('nor do a hundred thousand lists where nothing nests any deeper', () => {
    let deep: JsonValue = Array.from({ length: 100_000 }, () => [])
    for (let level = 2; level < 32; level++) deep = [deep]
    const stored = JSON.stringify(maskArguments({ deep }))
    assert.ok(stored.length <= 28 * 1024, String(stored.length))
    assert.match(stored, /nested too deeply/)
  })

  test('a hundred thousand long names are cut and counted as well', () => {
    const names = Array.from({ length: 100_000 }, (_, n) => [`${n}${'x'.repeat(50)}`, 1])
    const stored = JSON.stringify(maskArguments({ token: 'x', ...Object.fromEntries(names) }))
    assert.ok(stored.length <= 28 * 1024, String(stored.length))
    assert.match(stored, /"token":"\[masked\]"/)
    assert.match(stored, /too large/)
  })

  test('a property named __proto__ is data', () => {
    const args = JSON.parse('{"__proto__": {"token": "x"}, "a": 1}')
    assert.equal(JSON.stringify(maskArguments(args)), '{"__proto__":{"token":"[masked]"},"a":1}')
  })
})
