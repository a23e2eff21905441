// What the command line says of a workspace as a whole: tools that are not offered, doctor, init.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import * as z from 'zod'
import { CLIENTS } from '../helpers/clients.ts'
import { sallyport, serve } from '../helpers/processes.ts'
import type { Ended } from '../helpers/processes.ts'
import { CALLBACK, makeWorkspace, manifest, sessionManifest } from '../helpers/workspace.ts'

const SESSION = sessionManifest(
  'db',
  '[session.commands.read]\npattern = "SELECT .+"\n[session.commands.drop]\npattern = "DROP"',
)
const UPSTREAM = manifest('find', ['true'], '[args.query]\nrequired = true').replace(
  /\[command\]\n.*\n/,
  '[mcp]\nserver = "github"\ntool = "search_issues"\nfield_map = { query = "q" }\n',
)
const workspace = makeWorkspace({
  'tools/db.clad.toml': SESSION,
  'tools/keep.clad.toml': CALLBACK,
  'tools/find.clad.toml': UPSTREAM,
  'sallyport.yaml': '',
})
const env = { SALLYPORT_STATE: `${workspace.path}/.state`, TOOLCLAD_EVIDENCE_DIR: `${workspace.path}/evidence` }
const cli = (args: readonly string[], cwd = workspace.path): Promise<Ended> => sallyport(args, { cwd, env })

const listed = z.array(z.object({ name: z.string(), kind: z.string(), not_offered: z.string().optional() }))
const report = z.object({ ok: z.boolean(), checks: z.array(z.record(z.string(), z.union([z.string(), z.number()]))) })
const denied = z.object({ denied: z.object({ by: z.string(), code: z.string(), reason: z.string() }) })

const SENTENCE = 'session mode is parsed but not yet executable in the reference implementation'

describe('cli, a workspace', () => {
  after(() => workspace.dispose())

  describe('tools that are not offered', () => {
    test('list shows them apart, and why', async () => {
      const text = await cli(['list'])
      assert.equal(text.code, 0)
      assert.match(text.stdout, /^find .*\nnot offered: db_drop — session mode is parsed/m)
      const { stdout } = await cli(['list', '--json'])
      const tools = listed.parse(JSON.parse(stdout))
      assert.deepEqual(
        tools.map(({ name, kind, not_offered: why }) => [name, kind, why === undefined]),
        [
          ['find', 'mcp', true],
          ['db_drop', 'session', false],
          ['db_read', 'session', false],
          ['keep', 'callback', false],
        ],
      )
    })

    for (const tool of ['db_read', 'db.read', 'tools/db.clad.toml'])
      test(`run ${tool} is denied by the backend, with the sentence of the specification`, async () => {
        const { stdout, code } = await cli(['run', tool, '--approve'])
        assert.equal(code, 3)
        const { by, code: why, reason } = denied.parse(JSON.parse(stdout)).denied
        assert.deepEqual([by, why], ['backend', 'not_executable'])
        assert.ok(reason.includes(SENTENCE), reason)
      })

    for (const tool of ['keep', 'tools/keep.clad.toml'])
      test(`run ${tool}, a callback, exits with 2`, async () => {
        const { stdout, code } = await cli(['run', tool, '--arg', 'confidence=1'])
        assert.deepEqual([code, denied.parse(JSON.parse(stdout)).denied.code], [2, 'callback'])
      })

    test('call sees what clients see', async () => {
      for (const tool of ['db_read', 'keep']) {
        const { code, stdout, stderr } = await cli(['call', tool])
        assert.deepEqual([code, stdout], [2, ''])
        assert.match(stderr, /is not offered: /)
      }
    })

    test('test and schema know them', async () => {
      const tested = await cli(['test', 'db.read', '--arg', 'command=SELECT 1', '--json'])
      assert.deepEqual(JSON.parse(tested.stdout), {
        tool: 'db_read',
        kind: 'session',
        values: { command: 'SELECT 1' },
        checks: { scope: 'ok', dns: 'skipped', gate: 'ok' },
        timeout_seconds: 60,
        risk_tier: 'low',
      })
      assert.equal((await cli(['test', 'db_read', '--arg', 'command=DROP'])).code, 1)
      assert.equal((await cli(['test', 'tools/db.clad.toml'])).code, 2)
      const callback = await cli(['test', 'tools/keep.clad.toml', '--arg', 'confidence=1'])
      assert.match(callback.stdout, /^kind +callback$/m)
      const schemas = z
        .array(z.object({ name: z.string() }))
        .parse(JSON.parse((await cli(['schema', 'tools/db.clad.toml'])).stdout))
      assert.deepEqual(
        schemas.map(({ name }) => name),
        ['db_drop', 'db_read'],
      )
      assert.equal((await cli(['schema', 'db_read'])).code, 0)
    })

    test('serve offers the others, and a client can preview what an MCP tool would ask', async () => {
      const served = await serve(workspace.path, env)
      try {
        assert.deepEqual(served.tools, ['find'])
        for (const { connect } of CLIENTS) {
          const client = await connect({ kind: 'http', url: served.url, token: served.token })
          try {
            assert.deepEqual(
              (await client.list()).map(({ name }) => name),
              ['find'],
            )
            const { isError, structured } = await client.call('find', { query: 'cats' })
            assert.equal(isError, false)
            const { status, command, results } = z.record(z.string(), z.json()).parse(structured)
            assert.deepEqual([status, command], ['delegation_preview', 'mcp://github/search_issues'])
            assert.deepEqual(results, { mcp_server: 'github', mcp_tool: 'search_issues', mcp_args: { q: 'cats' } })
            await assert.rejects(client.call('db_read', { command: 'SELECT 1' }), /Unknown tool: db_read/)
          } finally {
            await client.close()
          }
        }
      } finally {
        await served.stop()
      }
    })
  })

  test('run and test of an MCP tool say what would be asked', async () => {
    const run = await cli(['run', 'find', '--arg', 'query=cats'])
    assert.equal(run.code, 0)
    assert.match(run.stdout, /"status": "delegation_preview"/)
    const tested = z
      .looseObject({})
      .parse(JSON.parse((await cli(['test', 'find', '--arg', 'query=cats', '--json'])).stdout))
    assert.deepEqual(
      [tested['tool'], tested['kind'], tested['request']],
      ['find', 'mcp', { server: 'github', tool: 'search_issues', arguments: { q: 'cats' } }],
    )
  })

  describe('doctor', () => {
    const doctor = async (cwd: string) => {
      const { code, stdout } = await cli(['doctor', '--json'], cwd)
      const { ok, checks } = report.parse(JSON.parse(stdout))
      assert.equal(code, ok ? 0 : 1)
      return { ok, found: checks.filter(({ status }) => status !== 'ok'), checks }
    }

    test('says what is fine and what is not offered, and changes nothing', async () => {
      const before = readdirSync(workspace.path).toSorted()
      const { ok, found, checks } = await doctor(workspace.path)
      assert.ok(ok, JSON.stringify(found))
      assert.deepEqual(
        found.filter(({ check }) => check !== 'limits').map(({ check, status }) => [check, status]),
        [
          ['offer', 'warning'],
          ['offer', 'warning'],
          ['offer', 'warning'],
        ],
      )
      for (const check of ['node', 'configuration', 'state', 'evidence', 'network', 'limits', 'scope', 'tools'])
        assert.ok(
          checks.some(row => row['check'] === check),
          check,
        )
      assert.deepEqual(readdirSync(workspace.path).toSorted(), before)
      const text = await cli(['doctor'])
      assert.match(text.stdout, /^✔ tools +1 tool is offered$/m)
      assert.match(text.stdout, /^! offer +keep is not offered: /m)
    })

    test('finds broken files, missing programs, clashes, renamed tools and unsafe folders', async () => {
      const broken = makeWorkspace({
        'tools/bad.clad.toml': '[tool]\nnme = "x\\u001b[31m"',
        'tools/gone.clad.toml': manifest('gone', ['no-such-program-here']),
        'tools/search.clad.toml': manifest('search', ['true']),
        'tools/one.clad.toml': manifest('twice', ['true']),
        'tools/two.clad.toml': manifest('twice', ['true']),
        'sallyport.yaml': 'network: {allow_internal: ["10.0.0.0/8"]}\n',
        'scope/scope.toml': '[scope]\nallowed_domain = ["example.com"]\n',
      })
      mkdirSync(join(broken.path, 'state'))
      chmodSync(join(broken.path, 'state'), 0o755)
      symlinkSync('elsewhere', join(broken.path, 'evidence'))
      const { code, stdout } = await sallyport(['doctor', '--state', 'state'], {
        cwd: broken.path,
        env: { TOOLCLAD_EVIDENCE_DIR: join(broken.path, 'evidence') },
      })
      assert.equal(code, 1)
      for (const line of [
        /^✖ state .*open to others/m,
        /^✖ evidence .*symbolic link/m,
        /^! network .*1 internal/m,
        /^✖ scope +scope\/scope\.toml:2: unknown key "allowed_domain"/m,
        /^✖ file +tools\/bad\.clad\.toml:\d+: unknown key "nme"/m,
        /^! file +tools\/gone\.clad\.toml:\d+: The program no-such-program-here was not found/m,
        /^✖ file +tools\/one\.clad\.toml:\d+: Two tools are named "twice"/m,
        /^! name +search is called search_[0-9a-f]{6}/m,
      ])
        assert.match(stdout, line)
      assert.ok(!stdout.includes('\u001b'))
      broken.dispose()
    })

    test('a configuration that cannot be read is a finding', async () => {
      const broken = makeWorkspace({ 'sallyport.yaml': 'tols: []\n' })
      const { ok, found } = await doctor(broken.path)
      assert.ok(!ok)
      assert.deepEqual(
        found.map(({ check }) => check),
        ['configuration'],
      )
      broken.dispose()
    })
  })

  test('validate shows the problems of other files where they are', async () => {
    const files = {
      'sallyport.yaml': '',
      'toolclad.toml': '# types\n[types.kind]\nbase = "enumm"\n',
      'scope/scope.toml': '[scope]\nallowed_domain = ["example.com"]\n',
      'tools/a.clad.toml': manifest(
        'a',
        ['true'],
        '[args.kind]\ntype = "kind"\n[args.host]\ntype = "scope_target"\nscope_check = true',
      ),
    }
    const other = makeWorkspace(files)
    const text = await cli(['validate', 'tools/a.clad.toml'], other.path)
    assert.equal(text.code, 1)
    assert.match(text.stdout, /--> toolclad\.toml:3:1\n {2}\|\n3 \| base = "enumm"/)
    assert.match(text.stdout, /--> scope\/scope\.toml:2:1\n {2}\|\n2 \| allowed_domain/)
    const github = await cli(['validate', 'tools/a.clad.toml', '--format', 'github'], other.path)
    assert.match(github.stdout, /^::error file=toolclad\.toml,line=3,/m)
    const sarif = await cli(['validate', 'tools/a.clad.toml', '--format', 'sarif'], other.path)
    assert.match(sarif.stdout, /"uri": ?"scope\/scope\.toml"/)
    other.dispose()
  })

  describe('init', () => {
    test('writes a manifest that is valid and runs, and overwrites none', async () => {
      const empty = makeWorkspace({ 'sallyport.yaml': '', 'deep/x': '' })
      const written = await cli(['init', 'greet'], join(empty.path, 'deep'))
      assert.deepEqual([written.code, written.stderr], [0, ''])
      assert.match(written.stdout, /greet\.clad\.toml.*sallyport run greet/)
      const file = join(empty.path, 'tools/greet.clad.toml')
      const valid = await cli(['validate', '--strict', file], empty.path)
      assert.deepEqual([valid.code, valid.stdout.split('\n').length], [0, 2])
      const run = await cli(['run', 'greet', '--arg', 'who=Ada'], empty.path)
      assert.equal(run.code, 0, run.stderr)
      assert.match(run.stdout, /"raw_output": "Hello Ada\\n"/)
      assert.equal((await cli(['run', 'greet'], empty.path)).code, 0)

      writeFileSync(file, 'mine')
      const again = await cli(['init', 'greet', '--json'], empty.path)
      assert.deepEqual([again.code, again.stdout], [1, ''])
      assert.match(again.stderr, /it is there already/)
      assert.equal(readFileSync(file, 'utf8'), 'mine')
      symlinkSync('outside', join(empty.path, 'tools/link.clad.toml'))
      assert.equal((await cli(['init', 'link'], empty.path)).code, 1)
      assert.ok(!existsSync(join(empty.path, 'tools/outside')))
      empty.dispose()
    })

    for (const name of ['a b', '../x', '1st', '', `x${'y'.repeat(64)}`, 'a"\nversion = "9', '__proto__'])
      test(`${JSON.stringify(name)} is no name`, async () => {
        const { code, stderr } = await cli(['init', name])
        assert.equal(code, 64)
        assert.match(stderr, /a tool name is at most 64 letters, digits, _ and -, beginning with a letter/)
      })
  })
})
