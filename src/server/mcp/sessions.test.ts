// Sessions without a network: what keeps one alive, what makes room, and what is left of a call that was cancelled.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SILENT, makeGateway } from '../../../test/helpers/gateway.ts'
import type { TestGateway } from '../../../test/helpers/gateway.ts'
import { until } from '../../../test/helpers/processes.ts'
import { TOOLS } from '../../../test/helpers/workspace.ts'
import type { Clock } from '../../core/ports.ts'
import type { Principal } from '../../core/principal.ts'
import { systemClock, systemIds } from '../../io/system.ts'
import { openServers } from './server.ts'
import { openSessions } from './sessions.ts'
import type { SessionLimits, Sessions } from './sessions.ts'

const ALICE: Principal = { id: 'alice', kind: 'token' }
const BOB: Principal = { id: 'bob', kind: 'token' }

interface Sent {
  readonly session?: string
  readonly method?: string
  readonly body?: object
  readonly signal?: AbortSignal
}

describe('MCP sessions', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await makeGateway(TOOLS)
  })
  after(() => gateway.dispose())

  const initialize = {
    jsonrpc: '2.0',
    id: 'i',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  const list = { jsonrpc: '2.0', id: 'l', method: 'tools/list', params: {} }
  const wait = (id: number, seconds: number): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'wait', arguments: { seconds } },
  })
  const cancel = (requestId: number): object => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId },
  })

  /** Each millisecond has one request, so that "longest ago" is never a tie. */
  function counting(): Clock {
    let now = 0
    return { ...systemClock, now: () => (now += 1) }
  }

  function open(limits: SessionLimits, clock: Clock = counting()): Sessions {
    const servers = openServers({ gateway: gateway.gateway, logger: SILENT, version: '0' })
    return openSessions({ open: servers, clock, ids: systemIds, logger: SILENT, limits })
  }

  function send(
    sessions: Sessions,
    who: Principal,
    { session, method = 'POST', body, signal }: Sent,
  ): Promise<Response> {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    }
    const request = new Request('http://localhost/mcp', {
      method,
      headers,
      ...(signal === undefined ? {} : { signal }),
    })
    return sessions.fetch(request, who, body === undefined ? {} : { parsedBody: body })
  }

  async function begin(sessions: Sessions, who: Principal = ALICE): Promise<string> {
    const response = await send(sessions, who, { body: initialize })
    await response.text()
    const id = response.headers.get('mcp-session-id')
    assert.ok(id, `no session: ${response.status}`)
    return id
  }

  async function isOpen(sessions: Sessions, session: string, who: Principal = ALICE): Promise<boolean> {
    const response = await send(sessions, who, { session, body: list })
    await response.text()
    return response.status === 200
  }

  test('a running call keeps its session, however many others begin', async () => {
    const sessions = open({ maxSessions: 2, idleMs: 60_000 })
    try {
      const session = await begin(sessions)
      const answer = send(sessions, ALICE, { session, body: wait(1, 2) }).then(response => response.text())
      await gateway.untilRunning('sleep 2')
      for (let i = 0; i < 4; i++) await begin(sessions)
      assert.match(await answer, /"status":"success"/)
      assert.equal(await isOpen(sessions, session), true)
    } finally {
      await sessions.close()
    }
  })

  test('a running call keeps its session beyond the time an idle one has', async () => {
    const sessions = open({ maxSessions: 9, idleMs: 30 }, systemClock)
    try {
      const [session, idle] = [await begin(sessions), await begin(sessions)]
      const answer = send(sessions, ALICE, { session, body: wait(1, 1) }).then(response => response.text())
      await gateway.untilRunning('sleep 1')
      assert.match(await answer, /"status":"success"/)
      assert.equal(await isOpen(sessions, idle), false)
      await until('it ends too', async () => {
        await systemClock.sleep(100)
        return !(await isOpen(sessions, session))
      })
    } finally {
      await sessions.close()
    }
  })

  test('the limit holds for sessions that begin at once', async () => {
    const sessions = open({ maxSessions: 3, idleMs: 60_000 })
    try {
      const begun = await Promise.all(
        Array.from({ length: 12 }, async () => {
          const response = await send(sessions, ALICE, { body: initialize })
          await response.text()
          return response
        }),
      )
      const statuses = begun.map(({ status }) => status)
      assert.deepEqual(new Set(statuses), new Set([200, 503]))
      const ids = begun.flatMap(({ headers }) => headers.get('mcp-session-id') ?? [])
      const alive = await Promise.all(ids.map(id => isOpen(sessions, id)))
      assert.equal(alive.filter(Boolean).length, 3)
    } finally {
      await sessions.close()
    }
  })

  test('one caller makes room among their own sessions before those of another', async () => {
    const sessions = open({ maxSessions: 3, idleMs: 60_000 })
    try {
      const bob = await begin(sessions, BOB)
      const alice = [await begin(sessions), await begin(sessions), await begin(sessions)]
      assert.equal(await isOpen(sessions, bob, BOB), true)
      assert.deepEqual(await Promise.all(alice.map(id => isOpen(sessions, id))), [false, true, true])
      const streams = alice.slice(1).map(session => send(sessions, ALICE, { session, method: 'GET' }))
      for (const { status } of await Promise.all(streams)) assert.equal(status, 200)
      await begin(sessions)
      assert.equal(await isOpen(sessions, bob, BOB), false)
    } finally {
      await sessions.close()
    }
  })

  test('what could not begin leaves nothing behind', async () => {
    const sessions = open({ maxSessions: 1, idleMs: 60_000 })
    try {
      const kept = await begin(sessions)
      const stream = await send(sessions, ALICE, { session: kept, method: 'GET' })
      assert.equal(stream.status, 200)
      assert.equal((await send(sessions, ALICE, { body: initialize })).status, 503)
    } finally {
      await sessions.close()
    }
    const fresh = open({ maxSessions: 1, idleMs: 60_000 })
    try {
      for (let i = 0; i < 3; i++)
        assert.equal((await send(fresh, ALICE, { body: { ...initialize, params: {} } })).status, 400)
      assert.equal(await isOpen(fresh, await begin(fresh)), true)
    } finally {
      await fresh.close()
    }
  })

  test('a cancelled call ends with its stream, and the session goes on', { timeout: 20_000 }, async () => {
    const sessions = open({ maxSessions: 9, idleMs: 60_000 })
    try {
      const session = await begin(sessions)
      const answer = send(sessions, ALICE, { session, body: wait(7, 446) }).then(response => response.text())
      await gateway.untilRunning('sleep 446')
      assert.equal((await send(sessions, ALICE, { session, body: cancel(7) })).status, 202)
      assert.equal(await answer, '')
      await gateway.untilGone('sleep 446')
      assert.equal(await isOpen(sessions, session), true)
    } finally {
      await sessions.close()
    }
  })

  test('one cancelled call of a batch leaves the others their answers', async () => {
    const sessions = open({ maxSessions: 9, idleMs: 60_000 })
    try {
      const session = await begin(sessions)
      const stream = await send(sessions, ALICE, { session, body: [wait(8, 447), wait(9, 3)] })
      await gateway.untilRunning('sleep 447')
      await gateway.untilRunning('sleep 3')
      await send(sessions, ALICE, { session, body: cancel(8) })
      await gateway.untilGone('sleep 447')
      const { value } = (await stream.body?.getReader().read()) ?? {}
      assert.match(new TextDecoder().decode(value), /"id":9/)
    } finally {
      await sessions.close()
    }
  })

  test('a client of one session cannot cancel what another runs', async () => {
    const sessions = open({ maxSessions: 9, idleMs: 60_000 })
    try {
      const [mine, other] = [await begin(sessions), await begin(sessions, BOB)]
      const answer = send(sessions, ALICE, { session: mine, body: wait(5, 1) }).then(response => response.text())
      await gateway.untilRunning('sleep 1')
      assert.equal((await send(sessions, BOB, { session: other, body: cancel(5) })).status, 202)
      assert.equal((await send(sessions, BOB, { session: mine, body: cancel(5) })).status, 404)
      assert.match(await answer, /"status":"success"/)
    } finally {
      await sessions.close()
    }
  })
})
