// One client on two streams: what ends the connection, and what a client cannot do to it.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { SILENT, makeGateway } from '../../../test/helpers/gateway.ts'
import type { TestGateway } from '../../../test/helpers/gateway.ts'
import { processesWith, until } from '../../../test/helpers/processes.ts'
import { TOOLS } from '../../../test/helpers/workspace.ts'
import { LOCAL } from '../../core/principal.ts'
import { serveMcpStdio } from './stdio.ts'

describe('stdio', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await makeGateway(TOOLS)
  })
  after(() => gateway.dispose())

  interface Client {
    readonly stdin: PassThrough
    readonly send: (message: object) => void
    readonly ended: Promise<void>
  }

  function connect(): Client {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()]
    stdout.resume()
    const { signal } = new AbortController()
    const ended = serveMcpStdio({
      gateway: gateway.gateway,
      principal: LOCAL,
      stdin,
      stdout,
      signal,
      logger: SILENT,
      version: '0',
    })
    const send = (message: object): void => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    send({ id: 0, method: 'initialize', params })
    return { stdin, send, ended }
  }

  test('ends with its stream, and every call with it, also where one id was used twice', async () => {
    const { stdin, send, ended } = connect()
    for (const id of [1, 1]) send({ id, method: 'tools/call', params: { name: 'wait', arguments: { seconds: 445 } } })
    await until('both run', () => processesWith('sleep 445').length === 2)
    stdin.end()
    await ended
    await gateway.untilGone('sleep 445')
  })

  test('ends when a line does not', { timeout: 10_000 }, async () => {
    const { stdin, ended } = connect()
    stdin.write('x'.repeat(11 << 20))
    await ended
    assert.equal(stdin.writableEnded, false)
  })
})
