// Creates, lists and ends a silence of a real Alertmanager through a real MCP client: `node examples/alertmanager/check.ts`.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const CLI = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
const PROGRAM = '/usr/bin/prometheus-alertmanager'

/** Why it cannot run here; false where it can. */
export const skip = existsSync(PROGRAM) ? false : `${PROGRAM} is not installed`

export async function check(): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'alertmanager-')))
  const port = await freePort()
  writeFileSync(join(folder, 'config.yml'), 'route:\n  receiver: nobody\nreceivers:\n  - name: nobody\n')
  const alertmanager = spawn(
    PROGRAM,
    [
      `--config.file=${folder}/config.yml`,
      `--storage.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  )
  const ended = once(alertmanager, 'exit')
  try {
    await ready(port)
    cpSync(import.meta.dirname, folder, { recursive: true, filter: source => !source.includes('.sallyport') })
    const config = join(folder, 'sallyport.yaml')
    writeFileSync(config, readFileSync(config, 'utf8').replace('127.0.0.1:9093/api', `127.0.0.1:${port}/api`))
    await checkTools(folder)
  } finally {
    alertmanager.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

async function checkTools(folder: string): Promise<void> {
  const client = new Client({ name: 'check', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const env = { PATH: process.env['PATH'] ?? '' }
  const args = [CLI, 'serve', '--stdio', folder]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
  try {
    const call = async (name: string, given: Record<string, unknown> = {}): Promise<string> => {
      const { content, isError } = await client.callTool({ name: `alertmanager_${name}`, arguments: given })
      const text: unknown = JSON.parse(JSON.stringify(content))[0].text
      assert.ok(typeof text === 'string')
      return isError === true ? `error ${text}` : text
    }
    assert.match(await call('get_status'), /"versionInfo"/)
    const now = Date.now()
    const created = await call('create_silence', {
      matchers: [{ name: 'alertname', value: 'Watchdog', isRegex: false, isEqual: true }],
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(now + 3_600_000).toISOString(),
      createdBy: 'check',
      comment: 'planned work',
    })
    const { silenceID: id } = JSON.parse(created)
    assert.match(await call('list_silences', { filter: ['alertname="Watchdog"'] }), new RegExp(id))
    assert.equal(await call('list_silences', { filter: ['alertname="Other"'] }), '[]')
    assert.match(await call('get_silence', { id }), /"state":"active"/)
    assert.equal(await call('delete_silence', { id }), 'null')
    assert.match(await call('get_silence', { id }), /"state":"expired"/)
    assert.match(
      await call('get_silence', { id: '00000000-0000-0000-0000-000000000000' }),
      /^error .*"code":"not_found"/,
    )
    assert.match(await call('create_silence', { matchers: 'x' }), /^error .*"fence":"json_type"/)
  } finally {
    await client.close()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  server.close()
  await once(server, 'close')
  return address.port
}

async function ready(port: number): Promise<void> {
  for (let left = 100; left > 0; left--) {
    const answer = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined) // not listening yet
    if (answer?.ok === true) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error('Alertmanager did not start')
}

if (import.meta.main) await check()
