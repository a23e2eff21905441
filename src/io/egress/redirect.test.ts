import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EgressError } from './error.ts'
import { isRedirect, nextHop } from './redirect.ts'
import type { Hop } from './redirect.ts'

const AWAY = 'https://b.example.com/'

function hop(method: string, body?: string): Hop {
  return {
    method,
    url: new URL('https://a.example.com/'),
    headers: { Accept: '*/*', Authorization: 'x', Cookie: 'y', 'Content-Type': 'text/plain' },
    injected: { 'X-Key': 'z' },
    body,
  }
}

describe('the method and the body of the next request', () => {
  for (const [method, status, becomes, keeps] of [
    ['GET', 301, 'GET', false],
    ['POST', 301, 'GET', false],
    ['POST', 302, 'GET', false],
    ['POST', 303, 'GET', false],
    ['POST', 307, 'POST', true],
    ['POST', 308, 'POST', true],
    ['PUT', 302, 'PUT', true],
    ['PUT', 303, 'GET', false],
    ['HEAD', 303, 'HEAD', false],
  ] as const)
    test(`${method} ${status}`, () => {
      const next = nextHop(hop(method, keeps || becomes !== method ? 'body' : undefined), status, '/there')
      assert.deepEqual([next.method, next.body !== undefined], [becomes, keeps])
      const about = Object.keys(next.headers).some(name => name.startsWith('Content-'))
      assert.equal(about, becomes === method, 'headers about a body go with it')
    })
})

test('another origin gets nothing that was injected, and no credential by its standard name', () => {
  for (const away of [AWAY, 'https://a.example.com:8443/', 'https://sub.a.example.com/']) {
    const next = nextHop(hop('GET'), 302, away)
    assert.deepEqual([next.injected, Object.keys(next.headers)], [{}, ['Accept', 'Content-Type']], away)
  }
  const same = nextHop(hop('GET'), 302, 'https://A.example.com:443/x')
  assert.deepEqual([same.injected, same.headers], [hop('GET').injected, hop('GET').headers])
  assert.deepEqual(
    nextHop(nextHop(hop('GET'), 302, AWAY), 302, hop('GET').url.href).injected,
    {},
    'nor on the way back',
  )
})

test('no body goes to another origin', () => {
  for (const [method, status] of [
    ['POST', 307],
    ['POST', 308],
    ['PUT', 302],
  ] as const)
    assert.throws(
      () => nextHop(hop(method, 'body'), status, AWAY),
      (error: unknown) => error instanceof EgressError && error.code === 'redirect_refused',
    )
  assert.equal(nextHop(hop('POST', 'body'), 303, AWAY).body, undefined)
})

test('only some statuses lead elsewhere', () => {
  const all = Array.from({ length: 100 }, (_, index) => 300 + index)
  assert.deepEqual(all.filter(isRedirect), [301, 302, 303, 307, 308])
})
