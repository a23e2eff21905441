// The HTTP edge: who gets in, who gets a session, and what closing does. Clients nobody here wrote are in test/e2e.
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { CLIENTS } from '../../test/helpers/clients.ts'
import { makeGateway } from '../../test/helpers/gateway.ts'
import type { TestGateway } from '../../test/helpers/gateway.ts'
import { processesWith, until } from '../../test/helpers/processes.ts'
import { TOOLS } from '../../test/helpers/workspace.ts'
import type { Outcome } from '../core/outcome.ts'
import type { Clock } from '../core/ports.ts'
import { Secret } from '../core/secret.ts'
import type { Principal } from '../core/principal.ts'
import type { Authenticator } from '../identity/authenticator.ts'
import { tokenAuthenticator } from '../identity/token.ts'
import { systemClock, systemIds } from '../io/system.ts'
import { openWeb } from './web.ts'
import type { Web, WebOptions } from './web.ts'

const TOKEN = 'a-token'
const LARGE_SIZE = 32 << 20
const LARGE: Outcome = { status: 'ok', result: { value: 'y'.repeat(LARGE_SIZE) } }
const silent = (): void => {}
const logger = { debug: silent, info: silent, warn: silent, error: silent }
const base = { host: '127.0.0.1', port: 0, logger, clock: systemClock, ids: systemIds, version: '0' }
const users: Readonly<Record<string, Principal>> = {
  alice: { id: 'alice', kind: 'token' },
  bob: { id: 'bob', kind: 'token' },
}
const authenticateUsers: Authenticator = token => (Object.hasOwn(users, token) ? users[token] : undefined)

let gateway: TestGateway
describe('web', () => {
  before(async () => {
    gateway = await makeGateway(TOOLS)
  })
  after(() => gateway.dispose())

  const open = (options: Partial<WebOptions> = {}): Promise<Web> =>
    openWeb({ ...base, gateway: gateway.gateway, authenticate: tokenAuthenticator(new Secret(TOKEN)), ...options })

  const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

  interface Sent {
    readonly token?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly method?: string
    readonly body?: unknown
  }

  async function send(url: string, { token = TOKEN, headers = {}, method = 'POST', body }: Sent): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return fetch(url, {
      method,
      headers: { ...JSON_HEADERS, ...(token === '' ? {} : { Authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { body: text }),
    })
  }

  function initialize(revision: string): object {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    return { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  }

  /** The message of an answer, whether it came as JSON or as one event. */
  async function messageOf(response: Response): Promise<Record<string, unknown>> {
    const text = await response.text()
    const data = /^data: (.+)$/m.exec(text)?.[1] ?? text
    return JSON.parse(data)
  }

  describe('the door', () => {
    let web: Web
    before(async () => {
      web = await open()
    })
    after(() => web.close())

    test('needs a token, and says so', async () => {
      for (const token of ['', 'wrong', `${TOKEN}x`]) {
        const response = await send(web.url, { token, body: initialize('2025-11-25') })
        assert.equal(response.status, 401)
        assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer error="/)
        assert.doesNotMatch(await response.text(), /a-token/)
      }
    })

    test('serves only its own host, whatever the address that was dialled', async () => {
      const { port } = new URL(web.url)
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sent = httpRequest(
          {
            host: '127.0.0.1',
            port,
            path: '/mcp',
            method: 'POST',
            headers: { Host: 'evil.example', Authorization: `Bearer ${TOKEN}` },
          },
          response => {
            response.resume()
            resolve(response.statusCode)
          },
        )
        sent.once('error', reject)
        sent.end()
      })
      assert.equal(status, 403)
    })

    test('refuses a page of another origin', async () => {
      const response = await send(web.url, {
        headers: { Origin: 'https://evil.example' },
        body: initialize('2025-11-25'),
      })
      assert.equal(response.status, 403)
    })

    test('refuses a body that is too large, whatever era it is of', async () => {
      const response = await send(web.url, { body: `{"jsonrpc":"2.0","x":"${'x'.repeat(2 << 20)}"}` })
      assert.equal(response.status, 413)
    })

    test('answers broken JSON with an error, not a crash', async () => {
      const response = await send(web.url, { body: '{' })
      assert.equal(response.status, 400)
      assert.equal((await send(new URL('/healthz', web.url).href, { method: 'GET' })).status, 200)
    })

    test('closes the connection after the answer where the client asks for it', async () => {
      const headers = { ...JSON_HEADERS, Authorization: `Bearer ${TOKEN}`, Connection: 'close' }
      const connection = await new Promise<string | undefined>((resolve, reject) => {
        const sent = httpRequest(web.url, { method: 'POST', headers, agent: false }, response => {
          response.resume().once('end', () => resolve(response.headers.connection))
        })
        sent.once('error', reject)
        sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }))
      })
      assert.equal(connection, 'close')
    })

    test('takes a client that leaves in the middle of its body for what it is', async () => {
      const errors: string[] = []
      const noting = await open({ logger: { ...logger, error: message => errors.push(message) } })
      const headers = {
        ...JSON_HEADERS,
        Authorization: `Bearer ${TOKEN}`,
        'Content-Length': '100',
        Expect: '100-continue',
      }
      await new Promise<void>(resolve => {
        const sent = httpRequest(noting.url, { method: 'POST', headers, agent: false })
        sent.once('continue', () => sent.destroy())
        sent.once('close', resolve)
        sent.on('error', silent)
        sent.flushHeaders()
      })
      await noting.close()
      assert.deepEqual(errors, [])
    })

    test('says that it is up and ready, without a token', async () => {
      for (const path of ['/healthz', '/readyz']) {
        const response = await send(new URL(path, web.url).href, { token: '', method: 'GET' })
        assert.deepEqual([response.status, await response.json()], [200, { ok: true }])
      }
      assert.equal((await send(new URL('/other', web.url).href, { method: 'GET' })).status, 404)
    })

    for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25'])
      test(`speaks ${revision}`, async () => {
        const response = await send(web.url, { body: initialize(revision) })
        const { result } = await messageOf(response)
        assert.ok(typeof result === 'object' && result !== null && 'protocolVersion' in result)
        assert.equal(result.protocolVersion, revision)
        assert.ok(response.headers.get('mcp-session-id'))
      })

    test('serves a 2025 client that never initializes', async () => {
      const response = await send(web.url, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } })
      const { result } = await messageOf(response)
      assert.match(JSON.stringify(result), /"name":"say"/)
    })
  })

  describe('sessions', () => {
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }
    const session = (id: string): { readonly 'mcp-session-id': string } => ({ 'mcp-session-id': id })

    async function begin(web: Web, token: string): Promise<string> {
      const response = await send(web.url, { token, body: initialize('2025-11-25') })
      await response.text()
      const id = response.headers.get('mcp-session-id')
      assert.ok(id, `no session: ${response.status}`)
      return id
    }

    test('belong to whoever opened them, and end by DELETE', async () => {
      const web = await open({ authenticate: authenticateUsers })
      try {
        const id = await begin(web, 'alice')
        const statusOf = async (token: string, method = 'POST'): Promise<number> => {
          const response = await send(web.url, {
            token,
            method,
            headers: session(id),
            ...(method === 'POST' ? { body: list } : {}),
          })
          await response.text()
          return response.status
        }
        assert.equal(await statusOf('alice'), 200)
        assert.equal(await statusOf('bob'), 404)
        assert.equal(await statusOf('bob', 'DELETE'), 404)
        assert.equal(await statusOf('alice', 'DELETE'), 200)
        assert.equal(await statusOf('alice'), 404)
      } finally {
        await web.close()
      }
    })

    test('take with them every call, also where a client used one id twice', async () => {
      const web = await open()
      try {
        const id = await begin(web, TOKEN)
        const params = { name: 'wait', arguments: { seconds: 444 } }
        const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params }
        const answers = [call, call].map(body => send(web.url, { headers: session(id), body }).then(r => r.text()))
        await until('both run', () => processesWith('sleep 444').length === 2)
        await (await send(web.url, { method: 'DELETE', headers: session(id) })).text()
        await gateway.untilGone('sleep 444')
        await Promise.allSettled(answers)
      } finally {
        await web.close()
      }
    })

    test('end when nobody has used them for a while, but not while a stream is open', async () => {
      const web = await open({ sessionLimits: { maxSessions: 10, idleMs: 40 } })
      const stream = new AbortController()
      try {
        const [idle, streaming] = [await begin(web, TOKEN), await begin(web, TOKEN)]
        const headers = { ...JSON_HEADERS, Authorization: `Bearer ${TOKEN}`, 'mcp-session-id': streaming }
        await fetch(web.url, { headers, signal: stream.signal })
        const statusOf = async (id: string): Promise<number> => {
          const response = await send(web.url, { method: 'DELETE', headers: session(id) })
          await response.text()
          return response.status
        }
        await systemClock.sleep(200)
        assert.equal(await statusOf(idle), 404)
        assert.equal(await statusOf(streaming), 200)
      } finally {
        stream.abort()
        await web.close()
      }
    })

    test('are capped: the one idle for longest makes room', async () => {
      let now = 0
      const clock: Clock = { ...systemClock, now: () => (now += 1) }
      const web = await open({ clock, sessionLimits: { maxSessions: 2, idleMs: 60_000 } })
      try {
        const [first, second] = [await begin(web, TOKEN), await begin(web, TOKEN)]
        await (await send(web.url, { headers: session(first), body: list })).text()
        const third = await begin(web, TOKEN)
        const statuses = []
        for (const id of [first, second, third]) {
          const response = await send(web.url, { headers: session(id), body: list })
          await response.text()
          statuses.push(response.status)
        }
        assert.deepEqual(statuses, [200, 404, 200])
      } finally {
        await web.close()
      }
    })
  })

  describe('closing', () => {
    test('lets a running call finish, and takes no new one', async () => {
      const web = await open({ drainMs: 20_000 })
      const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'wait', arguments: { seconds: 1 } } }
      const answer = send(web.url, { body: call }).then(messageOf)
      await gateway.untilRunning('sleep 1')
      const closing = web.close()
      assert.equal((await send(new URL('/readyz', web.url).href, { method: 'GET' })).status, 503)
      assert.equal((await send(web.url, { body: call })).status, 503)
      assert.match(JSON.stringify(await answer), /"status":"success"/)
      await closing
      await web.close()
      await assert.rejects(send(web.url, { body: call }))
    })

    for (const { name, connect } of CLIENTS)
      test(`lets a running call answer ${name}`, { timeout: 20_000 }, async () => {
        const web = await open({ drainMs: 20_000 })
        const client = await connect({ kind: 'http', url: web.url, token: TOKEN })
        try {
          const answer = client.call('wait', { seconds: 1 })
          await gateway.untilRunning('sleep 1')
          const closing = web.close()
          assert.match((await answer).text, /"status":"success"/)
          await closing
        } finally {
          await client.close()
        }
      })

    test('waits for a large answer to reach a slow client', async () => {
      const web = await open({ gateway: { ...gateway.gateway, call: () => Promise.resolve(LARGE) }, drainMs: 20_000 })
      const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'say', arguments: { text: 'x' } } }
      const response = await send(web.url, { body: call })
      const closing = web.close()
      // More than what it takes for calls that were cut off, and nothing was read yet.
      await systemClock.sleep(400)
      assert.ok((await response.text()).includes('y'.repeat(LARGE_SIZE)))
      await closing
    })

    test('does not wait for ever', async () => {
      const web = await open({ drainMs: 50 })
      const call = {
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'wait', arguments: { seconds: 333 } },
      }
      const answer = send(web.url, { body: call })
        .then(messageOf)
        .catch(() => 'cut off')
      await gateway.untilRunning('sleep 333')
      await web.close()
      await answer
      await gateway.untilGone('sleep 333')
    })

    test('an address in use is one clear sentence', async () => {
      const web = await open()
      const port = Number(new URL(web.url).port)
      await assert.rejects(open({ port }), { code: 'listen_failed', message: /127\.0\.0\.1:\d+ is in use/ })
      await web.close()
    })
  })
})
