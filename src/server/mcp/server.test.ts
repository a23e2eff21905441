// What one MCP server answers, message by message: what a caller may not know, and what it is told while a call runs.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import type { Server } from '@modelcontextprotocol/server'
import { SILENT, makeGateway } from '../../../test/helpers/gateway.ts'
import type { TestGateway } from '../../../test/helpers/gateway.ts'
import { CALLBACK, sessionManifest, TOOLS } from '../../../test/helpers/workspace.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject } from '../../core/json.ts'
import { LOCAL } from '../../core/principal.ts'
import type { PolicyEngine } from '../../policy/engine.ts'
import type { Gateway } from '../../gateway.ts'
import { openServers } from './server.ts'

const without = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(TOOLS).filter(([file]) => file !== `tools/${name}.clad.toml`))

/** Hides `fail`, and shows `say` without letting anybody call it. */
const STRICT: PolicyEngine = {
  decide: ({ name }) => (name === 'fail' || name === 'say' ? { allow: false, reason: 'not yours' } : { allow: true }),
  filter: (_principal, tools) => tools.filter(({ name }) => name !== 'fail'),
}

interface Wire {
  /** The answer to one request, as it is sent. */
  readonly ask: (method: string, params: JsonObject) => Promise<JsonObject>
  readonly notified: readonly JsonObject[]
  readonly close: () => Promise<void>
}

async function connect(server: Server): Promise<Wire> {
  const [client, other] = InMemoryTransport.createLinkedPair()
  const waiting = new Map<unknown, (answer: JsonObject) => void>()
  const notified: JsonObject[] = []
  client.onmessage = message => {
    const parsed: unknown = JSON.parse(JSON.stringify(message))
    assert.ok(isJsonObject(parsed))
    const settle = waiting.get(parsed['id'])
    if (settle === undefined) notified.push(parsed)
    else settle(parsed)
  }
  await Promise.all([client.start(), server.connect(other)])
  const ask: Wire['ask'] = (method, params) => {
    const id = waiting.size + 1
    const answer = new Promise<JsonObject>(resolve => waiting.set(id, resolve))
    return client.send({ jsonrpc: '2.0', id, method, params: { ...params } }).then(() => answer)
  }
  const clientInfo = { name: 'test', version: '1' }
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  return { ask, notified, close: () => server.close() }
}

describe('MCP server', () => {
  const opened: TestGateway[] = []
  const wires: Wire[] = []
  let strict: Gateway
  let everything: Gateway

  const gatewayOf = async (...args: Parameters<typeof makeGateway>): Promise<Gateway> => {
    const made = await makeGateway(...args)
    opened.push(made)
    return made.gateway
  }
  const wire = async (gateway: Gateway): Promise<Wire> => {
    const connected = await connect(openServers({ gateway, logger: SILENT, version: '0' })(LOCAL))
    wires.push(connected)
    return connected
  }
  before(async () => {
    strict = await gatewayOf(TOOLS, { policy: STRICT })
    everything = await gatewayOf(TOOLS)
  })
  after(async () => {
    await Promise.all(wires.map(({ close }) => close()))
    await Promise.all(opened.map(({ dispose }) => dispose()))
  })

  for (const { name, tool } of [
    { name: 'a hidden tool', tool: 'fail' },
    { name: 'a shown tool that may not be called', tool: 'say' },
  ])
    test(`${name} answers like one that does not exist, byte for byte`, async () => {
      const [denied, absent] = await Promise.all([wire(strict), wire(await gatewayOf(without(tool)))])
      const call = { name: tool, arguments: { text: 'x' } }
      const [answer, expected] = await Promise.all([denied.ask('tools/call', call), absent.ask('tools/call', call)])
      assert.equal(JSON.stringify(answer), JSON.stringify(expected))
      assert.deepEqual(answer['error'], { code: -32602, message: `Unknown tool: ${tool}` })
    })

  test('a tool that is not offered is in no list, and answers like one that does not exist', async () => {
    const session = sessionManifest('db', '[session.commands.read]\npattern = ".*"')
    const [{ ask }, absent] = await Promise.all([
      wire(await gatewayOf({ 'tools/db.clad.toml': session, 'tools/keep.clad.toml': CALLBACK })),
      wire(await gatewayOf({})),
    ])
    for (const answer of [await ask('tools/list', {}), await absent.ask('tools/list', {})])
      assert.deepEqual(answer['result'], { tools: [] })
    for (const name of ['db_read', 'db.read', 'keep']) {
      const call = { name, arguments: { command: 'x' } }
      assert.equal(JSON.stringify(await ask('tools/call', call)), JSON.stringify(await absent.ask('tools/call', call)))
    }
  })

  test('suggests tools the caller can see, and no others', async () => {
    const messageOf = async (gateway: Gateway, name: string): Promise<string> =>
      JSON.stringify((await (await wire(gateway)).ask('tools/call', { name, arguments: {} }))['error'])
    assert.match(await messageOf(strict, 'wiat'), /did you mean \\"wait\\"/)
    assert.match(await messageOf(everything, 'fial'), /did you mean \\"fail\\"/)
    assert.doesNotMatch(await messageOf(strict, 'fial'), /did you mean/)
  })

  test('a hidden tool is in no list', async () => {
    const listed = JSON.stringify(await (await wire(strict)).ask('tools/list', {}))
    assert.match(listed, /"name":"say"/)
    assert.doesNotMatch(listed, /fail/)
  })

  test('arguments that are no object are an error of the protocol', async () => {
    const { ask } = await wire(everything)
    for (const args of [[], 'x', null]) {
      const { error } = await ask('tools/call', { name: 'say', arguments: args })
      assert.ok(isJsonObject(error))
      assert.equal(error['code'], -32602)
    }
  })

  describe('progress', () => {
    const reporting: Gateway['call'] = (request, options) => {
      options.progress?.({ progress: 1, total: 2, message: 'half' })
      options.progress?.({ progress: 2, message: 'done' })
      return everything.call(request, options)
    }
    const call = { name: 'say', arguments: { text: 'x' } }

    test('reaches a caller that asked for it, before the answer', async () => {
      const { ask, notified } = await wire({ ...everything, call: reporting })
      await ask('tools/call', { ...call, _meta: { progressToken: 'p' } })
      assert.deepEqual(
        notified.map(({ method, params }) => [method, params]),
        [
          ['notifications/progress', { progressToken: 'p', progress: 1, total: 2, message: 'half' }],
          ['notifications/progress', { progressToken: 'p', progress: 2, message: 'done' }],
        ],
      )
    })

    test('is sent to nobody else', async () => {
      const { ask, notified } = await wire({ ...everything, call: reporting })
      await ask('tools/call', call)
      assert.deepEqual(notified, [])
    })
  })

  test('what is listed is made once for everybody who sees the same tools', async () => {
    let made = 0
    const offered = everything.tools(LOCAL).map(entry => ({
      ...entry,
      get tool() {
        made += 1
        return entry.tool
      },
    }))
    const open = openServers({ gateway: { ...everything, tools: () => offered }, logger: SILENT, version: '0' })
    const clients = await Promise.all([connect(open(LOCAL)), connect(open(LOCAL))])
    wires.push(...clients)
    const [first, second] = clients
    const answer = await first.ask('tools/list', {})
    assert.equal(made, offered.length)
    assert.deepEqual(await second.ask('tools/list', {}), answer)
    assert.equal(made, offered.length)
  })
})
