// Whatever a value holds, the request stays the author's.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { HttpBinding } from './binding.ts'
import { buildRequest, judgeValues } from './request.ts'
import type { BuiltRequest } from './request.ts'

const binding: HttpBinding = {
  method: 'POST',
  command: '',
  url: {
    origin: [{ literal: 'https://api.example.com:8443' }],
    path: [{ literal: '/v1/' }, { value: 'a' }, { literal: '/x.' }, { value: 'b' }, { secret: 's' }, { literal: '/' }],
    query: [
      { literal: '?q=' },
      { value: 'a' },
      { literal: '&' },
      { value: 'b' },
      { literal: '=1&s=' },
      { secret: 's' },
    ],
  },
  headers: [{ name: 'x-a', value: [{ literal: 'v ' }, { value: 'a' }] }],
  body: [
    { literal: '{"a": "' },
    { value: 'a' },
    { literal: '", "b": ["' },
    { value: 'b' },
    { literal: '", "' },
    { secret: 's' },
    { literal: '"]}' },
  ],
  maxBytes: 1,
  evidence: { capture: false },
  extension: 'txt',
}

/** Any text that is one: what types refuse is let through here. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter(value => value.isWellFormed()),
  fc.string({ unit: fc.constantFrom(...'./\\?#&=%:@{}[]"\'\r\n\t \0e2aé€'.split('')) }),
  fc.constantFrom('.', '..', '%2e', '../..', '//evil.example', '{a}', '{_secret:s}', '\r\nx: y', '', '\ufeff'),
)

interface Values {
  readonly a: string
  readonly b: string
  readonly s: string
}

function build({ a, b, s }: Values): BuiltRequest | undefined {
  const filling = {
    values: { a, b },
    scanId: '1-a',
    secret: (_name: string, encode: (text: string) => string) => encode(s),
  }
  const refused = judgeValues(binding, filling).some(({ fence }) => fence === 'traversal')
  return refused ? undefined : buildRequest(binding, filling)
}

const values = fc.record({ a: text, b: text, s: fc.string({ unit: 'grapheme', minLength: 8 }) })

describe('a request', () => {
  test('goes to the same place, and values come back out of it (property)', () => {
    fc.assert(
      fc.property(values, given => {
        const request = build(given)
        if (request === undefined) return
        const { protocol, hostname, port, username, password, hash, pathname, searchParams } = new URL(request.url)
        assert.deepEqual(
          { protocol, hostname, port, username, password, hash },
          { protocol: 'https:', hostname: 'api.example.com', port: '8443', username: '', password: '', hash: '' },
        )
        const segments = pathname.split('/').map(segment => decodeURIComponent(segment))
        assert.deepEqual(segments, ['', 'v1', given.a, `x.${given.b}${given.s}`, ''])
        assert.deepEqual(
          [...searchParams],
          [
            ['q', given.a],
            [given.b, '1'],
            ['s', given.s],
          ],
        )
      }),
    )
  })

  test('has a body that is JSON and holds the very values (property)', () => {
    fc.assert(
      fc.property(values, given => {
        const request = build(given)
        if (request === undefined) return
        assert.deepEqual(JSON.parse(request.body ?? ''), { a: given.a, b: [given.b, given.s] })
        assert.equal(request.headers['content-type'], 'application/json')
      }),
    )
  })

  test('has no header a value could end (property)', () => {
    fc.assert(
      fc.property(text, a => {
        const refusals = judgeValues(binding, { values: { a, b: 'b' }, scanId: '1-a', secret: () => 's' })
        const clean = /^[\t -~\u0080-\u00ff]*$/.test(a)
        assert.equal(
          refusals.some(({ fence }) => fence === 'control' || fence === 'non_ascii'),
          !clean,
        )
      }),
    )
  })

  test('brackets an IPv6 address, and nothing else', () => {
    const url = (host: string): string =>
      buildRequest(
        {
          ...binding,
          url: { origin: [{ literal: 'http://' }, { value: 'h' }, { literal: ':81' }], path: [], query: [], host: 'h' },
        },
        { values: { h: host }, scanId: '', secret: () => '' },
      ).url
    assert.equal(url('2606:4700::1111'), 'http://[2606:4700::1111]:81')
    assert.equal(url('8.8.8.8'), 'http://8.8.8.8:81')
    assert.equal(url('example.com.'), 'http://example.com.:81')
  })
})
