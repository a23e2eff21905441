// What a kill leaves behind: no process, and an audit chain that verifies and says what happened.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { CLIENTS } from '../helpers/clients.ts'
import { processesWith, ROOT, run, sallyport, serve, until } from '../helpers/processes.ts'
import { makeWorkspace, TOOLS } from '../helpers/workspace.ts'

const workspace = makeWorkspace(TOOLS)
describe('crash', () => {
  after(() => workspace.dispose())
  const environment = (name: string): Record<string, string> => ({
    SALLYPORT_STATE: `${workspace.path}/state-${name}`,
    TOOLCLAD_EVIDENCE_DIR: `${workspace.path}/evidence`,
  })

  interface AuditLine {
    readonly id: string
    readonly tool: string
    readonly outcome: string
    readonly args: Readonly<Record<string, unknown>>
  }

  async function auditOf(env: Record<string, string>): Promise<readonly AuditLine[]> {
    const { stdout } = await sallyport(['audit', 'list', '--json'], { cwd: workspace.path, env })
    return stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
  }

  async function verify(env: Record<string, string>): Promise<{ readonly ok: boolean; readonly records: number }> {
    const { stdout } = await sallyport(['audit', 'verify', '--json'], { cwd: workspace.path, env })
    return JSON.parse(stdout)
  }

  test('kill -9 in the middle of a call: its child dies, the chain verifies, the call is unknown, the next run works', async () => {
    const env = environment('kill')
    const gateway = await serve(workspace.path, env)
    const [kind] = CLIENTS
    assert.ok(kind)
    const client = await kind.connect({ kind: 'http', url: gateway.url, token: gateway.token })
    await client.call('say', { text: 'before' })
    const lost = client.call('wait', { seconds: 411 }).catch(() => 'lost')
    await until('the child runs', () => processesWith('sleep 411').length === 1)
    assert.deepEqual(
      (await auditOf(env)).map(({ tool, outcome }) => `${tool} ${outcome}`),
      ['say ok', 'wait running'],
    )
    gateway.child.kill('SIGKILL')
    await once(gateway.child, 'exit')
    await until('the child is gone', () => processesWith('sleep 411').length === 0)
    await client.close()
    await lost

    assert.deepEqual(
      (await auditOf(env)).map(({ tool, outcome }) => `${tool} ${outcome}`),
      ['say ok', 'wait unknown'],
    )
    assert.equal((await verify(env)).ok, true)
    const again = await sallyport(['call', 'say', '--arg', 'text=after', '--json'], { cwd: workspace.path, env })
    assert.equal(again.code, 0)
    assert.deepEqual(
      (await auditOf(env)).map(({ tool, outcome }) => `${tool} ${outcome}`),
      ['say ok', 'wait unknown', 'say ok'],
    )
    const { ok, records } = await verify(env)
    assert.equal(ok, true)
    assert.ok(records >= 5)
  })

  test('two processes write one store, and both chains verify', async () => {
    const env = environment('two')
    const say = (n: number): Promise<{ readonly code: number | null }> =>
      sallyport(['call', 'say', '--arg', `text=t${n}`], { cwd: workspace.path, env })
    const gateway = await serve(workspace.path, env)
    const codes = await Promise.all([1, 2, 3, 4].map(say))
    assert.deepEqual(
      codes.map(({ code }) => code),
      [0, 0, 0, 0],
    )
    assert.equal(await gateway.stop(), 0)
    const calls = await auditOf(env)
    assert.deepEqual(calls.map(({ args }) => String(args['text'])).toSorted(), ['t1', 't2', 't3', 't4'])
    assert.equal((await verify(env)).ok, true)
  })

  test('SIGTERM to npm start leaves no process', async () => {
    const npm = spawn('npm', ['start', '--silent'], {
      cwd: ROOT,
      env: { ...process.env, ...environment('npm'), SALLYPORT_LISTEN: '127.0.0.1:0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    npm.stdout.setEncoding('utf8').on('data', chunk => (printed += String(chunk)))
    npm.stderr.setEncoding('utf8').on('data', chunk => (printed += String(chunk)))
    const ended = once(npm, 'exit')
    await until('it says where it listens', () => /http:\/\/127\.0\.0\.1:\d+\/mcp/.test(printed), 60_000)
    assert.match(printed, /git_log/)
    npm.kill('SIGTERM')
    await ended
    await until('nothing is left', () => processesWith('serve examples/workstation').length === 0)
  })

  test('a manifest that is broken does not take the good ones with it', async () => {
    const mixed = makeWorkspace({ ...TOOLS, 'tools/broken.clad.toml': '[tool]\nnmae = "x"\n' })
    try {
      const env = { SALLYPORT_STATE: `${mixed.path}/.state` }
      const { stdout, stderr, code } = await sallyport(['list', '--json'], { cwd: mixed.path, env })
      assert.equal(code, 0)
      const names = JSON.parse(stdout).map(({ name }: { name: string }) => name)
      assert.deepEqual(names, ['fail', 'launch', 'say', 'wait'])
      assert.match(stderr, /broken\.clad\.toml:2:1/)
      assert.match(stderr, /nmae.*name/s)
    } finally {
      mixed.dispose()
    }
  })

  test('an unknown key of the configuration is refused with the nearest name', async () => {
    const wrong = makeWorkspace({ ...TOOLS, 'sallyport.yaml': 'tols:\n  - tools/*.clad.toml\n' })
    try {
      const { stderr, code } = await sallyport(['list'], { cwd: wrong.path })
      assert.equal(code, 6)
      assert.match(stderr, /sallyport\.yaml:1:1/)
      assert.match(stderr, /tols.*tools/s)
    } finally {
      wrong.dispose()
    }
  })

  test('the command line works from anywhere, by absolute path', async () => {
    const { stdout, code } = await run(process.execPath, [`${ROOT}/src/cli/main.ts`, 'version', '--json'], { cwd: '/' })
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).name, 'sallyport')
  })
})
