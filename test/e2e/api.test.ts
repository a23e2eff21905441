// A command-line tool and a REST API behind one address, found and called by clients nobody here wrote.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openHarbour, TOKEN } from '../../examples/harbour/server.ts'
import { CLIENTS } from '../helpers/clients.ts'
import { installed } from '../helpers/install.ts'
import { NODE, ROOT, freePort, run, sallyport, serve } from '../helpers/processes.ts'
import type { Served } from '../helpers/processes.ts'
import { makeWorkspace } from '../helpers/workspace.ts'

describe('a tool and an API behind one address', () => {
  const workspace = makeWorkspace({})
  const harbour = openHarbour()
  const env = {
    SALLYPORT_STATE: join(workspace.path, '.state'),
    TOOLCLAD_EVIDENCE_DIR: join(workspace.path, '.evidence'),
    CREDENTIAL_EXAMPLE_HARBOUR_TOKEN: TOKEN,
  }
  let gateway: Served
  before(async () => {
    harbour.listen(0, '127.0.0.1')
    await once(harbour, 'listening')
    const address = harbour.address()
    assert.ok(typeof address === 'object' && address !== null)
    const example = join(ROOT, 'examples', 'harbour')
    cpSync(example, workspace.path, { recursive: true, filter: source => !source.includes('.sallyport') })
    const config = join(workspace.path, 'sallyport.yaml')
    writeFileSync(config, readFileSync(config, 'utf8').replace(':7412', `:${address.port}`))
    gateway = await serve(workspace.path, env)
  })
  after(async () => {
    await gateway.stop()
    harbour.closeAllConnections()
    harbour.close()
    workspace.dispose()
  })

  for (const { name, connect } of CLIENTS)
    test(name, async () => {
      const client = await connect({ kind: 'http', url: gateway.url, token: gateway.token })
      try {
        const names = (await client.list()).map(tool => tool.name)
        assert.ok(names.includes('disk_free') && names.includes('harbour_get_ship'), String(names))
        assert.match((await client.call('disk_free', {})).text, /"status":"success"/)
        const ship = await client.call('harbour_get_ship', { name: 'Fram' })
        assert.deepEqual(ship.structured, { name: 'Fram', flag: 'NO', berth: null, notes: [] })
        assert.deepEqual(JSON.parse(ship.text), ship.structured)
        const ships = await client.call('harbour_list_ships', { limit: 2 })
        assert.equal(JSON.parse(ships.text).length, 2)
        const missing = await client.call('harbour_get_ship', { name: 'Nobody' })
        assert.deepEqual(
          [missing.isError, missing.structured, JSON.parse(missing.text).error.code],
          [true, undefined, 'not_found'],
        )
        const refused = await client.call('harbour_berth_ship', { name: 'Fram', berth: 'seven' })
        assert.deepEqual(
          JSON.parse(refused.text).refusals.map((r: Record<string, unknown>) => r['fence']),
          ['json_type'],
        )
      } finally {
        await client.close()
      }
    })

  test('the Inspector', async () => {
    const folder = await installed('@modelcontextprotocol/inspector', '2.12.0')
    const bin = join(folder, 'node_modules', '.bin', 'mcp-inspector')
    const header = `Authorization: Bearer ${gateway.token}`
    const target = [bin, '--cli', gateway.url, '--transport', 'http', '--header', header]
    const call = ['--method', 'tools/call', '--tool-name', 'harbour_get_ship', '--tool-arg', 'name=Fram']
    const { stdout, stderr, code } = await run(NODE, [...target, ...call])
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).structuredContent.flag, 'NO')
  })

  test('the command line, and its exit codes', async () => {
    const cli = (...args: readonly string[]) =>
      sallyport(args, { cwd: workspace.path, env: { ...env, SALLYPORT_STATE: `${env.SALLYPORT_STATE}-cli` } })
    const called = await cli(
      'call',
      'harbour_berth_ship',
      '--arg',
      'name=Fram',
      '--arg',
      'berth=3',
      '--arg',
      'notes=["x"]',
    )
    assert.deepEqual([called.code, JSON.parse(called.stdout).berth], [0, 3])
    assert.equal((await cli('call', 'harbour_get_ship', '--arg', 'name=Nobody')).code, 3)
    assert.equal((await cli('call', 'harbour_get_ship')).code, 1)
    const bare = await sallyport(['call', 'harbour_list_ships'], {
      cwd: workspace.path,
      env: { ...env, CREDENTIAL_EXAMPLE_HARBOUR_TOKEN: '' },
    })
    assert.equal(bare.code, 6)
    assert.match(bare.stderr, /CREDENTIAL_EXAMPLE_HARBOUR_TOKEN/)
    const listed = JSON.parse((await cli('list', '--json')).stdout)
    assert.deepEqual(
      listed.find((tool: Record<string, unknown>) => tool['name'] === 'harbour_sail'),
      {
        name: 'harbour_sail',
        kind: 'rest',
        version: '1.0',
        access: 'dangerous',
        file: join(workspace.path, 'apis', 'harbour.dadl'),
      },
    )
    const tried = JSON.parse((await cli('test', 'harbour_get_ship', '--arg', 'name=a/b', '--json')).stdout)
    assert.deepEqual(
      [tried.kind, tried.request.method, new URL(tried.request.url).pathname],
      ['http', 'GET', '/ships/a%2Fb'],
    )
  })

  test('an API cannot be the gateway itself', async () => {
    const own = makeWorkspace({
      'apis/self.dadl': `spec: https://dadl.ai/spec/dadl-spec-v0.2.md
backend:
  name: self
  type: rest
  description: d
  auth: {type: bearer, credential: none}
  tools: {health: {method: GET, path: /healthz, description: d}}
`,
    })
    const listen = `127.0.0.1:${await freePort()}`
    own.write('sallyport.yaml', `listen: ${listen}\napis: {self: {file: apis/self.dadl, url: "http://${listen}"}}\n`)
    const served = await serve(own.path, { SALLYPORT_LISTEN: listen }, [])
    const [kind] = CLIENTS
    assert.ok(kind)
    const client = await kind.connect({ kind: 'http', url: served.url, token: served.token })
    try {
      const { text } = await client.call('self_health', {})
      assert.equal(JSON.parse(text).error.code, 'not_configured')
    } finally {
      await client.close()
      await served.stop()
      own.dispose()
    }
  })

  test('the token of the API is in no record', async () => {
    const { stdout } = await sallyport(['audit', 'list', '--json'], { cwd: workspace.path, env })
    assert.match(stdout, /harbour_get_ship/)
    assert.doesNotMatch(stdout, new RegExp(TOKEN))
    assert.equal((await sallyport(['audit', 'verify'], { cwd: workspace.path, env })).code, 0)
  })
})
