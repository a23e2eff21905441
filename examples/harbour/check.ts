// An API and a command-line tool behind one address, called by a real MCP client: `node examples/harbour/check.ts`.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openHarbour, TOKEN } from './server.ts'

const CLI = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')

export async function check(): Promise<void> {
  const server = openHarbour().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'harbour-')))
  try {
    cpSync(import.meta.dirname, folder, { recursive: true, filter: source => !source.includes('.sallyport') })
    const config = join(folder, 'sallyport.yaml')
    writeFileSync(config, readFileSync(config, 'utf8').replace(':7412', `:${address.port}`))
    await checkTools(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    server.closeAllConnections()
    server.close()
  }
}

async function checkTools(folder: string): Promise<void> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    TOOLCLAD_EVIDENCE_DIR: join(folder, '.evidence'),
    CREDENTIAL_EXAMPLE_HARBOUR_TOKEN: TOKEN,
  }
  const client = new Client({ name: 'check', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const args = [CLI, 'serve', '--stdio', folder]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
  try {
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['disk_free', 'harbour_berth_ship', 'harbour_get_ship', 'harbour_list_ships', 'harbour_sail'],
    )
    const call = async (name: string, given: Record<string, unknown> = {}) =>
      client.callTool({ name, arguments: given })

    assert.match(JSON.stringify((await call('disk_free')).structuredContent), /"status":"success"/)
    const { structuredContent: ships } = await call('harbour_list_ships', { flag: 'NO' })
    assert.deepEqual(ships, { result: [{ name: 'Fram', flag: 'NO', berth: null, notes: [] }] })
    const berthed = await call('harbour_berth_ship', { name: 'Dún Laoghaire', berth: 7, notes: ['bow first'] })
    assert.deepEqual(berthed.structuredContent, { name: 'Dún Laoghaire', flag: 'IE', berth: 7, notes: ['bow first'] })
    assert.deepEqual((await call('harbour_sail', { name: 'Fram' })).structuredContent, { result: null })

    const gone = await call('harbour_get_ship', { name: 'Fram' })
    assert.equal(gone.isError, true)
    assert.deepEqual(
      JSON.parse(JSON.stringify(gone.content))[0].text,
      JSON.stringify({
        error: {
          code: 'not_found',
          message: 'no ship is named Fram',
          http_status: 404,
          provider_code: 'no_such_ship',
          retryable: false,
          tool: 'harbour_get_ship',
        },
      }),
    )
    const climbing = await call('harbour_get_ship', { name: '..' })
    assert.match(JSON.stringify(climbing.content), /traversal/)
  } finally {
    await client.close()
  }
}

if (import.meta.main) await check()
