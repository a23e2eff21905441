import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { isJsonObject } from './core/json.ts'
import { loadManifest, loadManifestFile, runManifest } from './toolclad.ts'
import type { GateRequest, LoadOptions, LoadResult, Manifest, RunResult, Settings } from './toolclad.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolclad-test-')))
const TOOL =
  '[tool]\nname = "sample"\nversion = "1.2.0"\nbinary = "echo"\ndescription = "A sample"\nrisk_tier = "low"\n'
const TEXT = '[output]\nformat = "text"\n'
const ECHO = `${TOOL}[args.text]\ntype = "string"\nrequired = true\n[command]\nexec = ["echo", "{text}"]\n${TEXT}`

describe('sallyport/toolclad', () => {
  after(() => rmSync(base, { recursive: true }))

  let folder = base
  let settings: Settings = {}
  beforeEach(() => {
    folder = mkdtempSync(join(base, 'case-'))
    settings = { evidence_dir: join(folder, 'evidence') }
  })

  const load = (text: string, options: LoadOptions = {}): Manifest =>
    loaded(loadManifest(text, { ...options, settings: { ...settings, ...options.settings } }))

  function loaded({ manifest, diagnostics }: LoadResult): Manifest {
    assert.ok(manifest, JSON.stringify(diagnostics))
    return manifest
  }

  function write(name: string, text: string): string {
    const file = join(folder, name)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  function envelopeOf(result: RunResult) {
    assert.ok(result.kind === 'envelope' && isJsonObject(result.envelope), JSON.stringify(result))
    return result.envelope
  }

  describe('loadManifest', () => {
    test('gives a manifest and no problems, or all problems and no manifest', () => {
      const good = loadManifest(ECHO)
      assert.deepEqual([good.manifest?.name, good.manifest?.version, good.diagnostics], ['sample', '1.2.0', []])
      const bad = loadManifest(ECHO.replace('version', 'verison').replace('"string"', '"strnig"'), {
        path: 'x.clad.toml',
      })
      assert.equal(bad.manifest, undefined)
      assert.deepEqual(
        bad.diagnostics.map(({ code, file, line }) => [code, file, line]),
        [
          ['missing_key', 'x.clad.toml', 1],
          ['unknown_key', 'x.clad.toml', 3],
          ['unknown_type', 'x.clad.toml', 8],
        ],
      )
      const lax = loadManifest(`${ECHO}[extra]\nx = 1\n`, { allowUnknownKeys: true })
      assert.ok(lax.manifest)
      assert.deepEqual(
        lax.diagnostics.map(({ severity }) => severity),
        ['warning'],
      )
    })

    test('takes custom types and the scope as data', async () => {
      const text = `${TOOL}[args.host]\ntype = "scope_target"\nscope_check = true\n[args.service]\ntype = "service"\n[command]\nexec = ["echo", "{host}", "{service}"]\n${TEXT}`
      const options = {
        customTypes: { service: { base: 'enum', allowed: ['ssh', 'http'] } },
        scope: { allowed_domains: ['*.example.com'], blocked_domains: ['db.example.com'] },
      }
      const manifest = load(text, options)
      const judge = (args: Record<string, string>) => manifest.validate(args, { dns: false })
      assert.deepEqual(await judge({ host: 'www.example.com', service: 'ssh' }), {
        ok: true,
        values: { host: 'www.example.com', service: 'ssh' },
      })
      assert.deepEqual(fencesOf(await judge({ host: 'www.example.com', service: 'ftp' })), ['enum'])
      assert.deepEqual(fencesOf(await judge({ host: 'db.example.com' })), ['scope'])
      const scopeless = load(text, { ...options, scope: null })
      assert.deepEqual(fencesOf(await scopeless.validate({ host: 'www.example.com' })), ['no_scope_file'])
    })

    test('refuses settings and data that are not what they are declared as', () => {
      assert.throws(() => loadManifest(ECHO, { settings: { allow_internal: ['10.0.0.0/99'] } }), /10\.0\.0\.0\/99/)
      assert.throws(() => loadManifest(ECHO, { customTypes: { x: { base: 'enum', allowed: [null] } } }), TypeError)
    })

    test('looks at nothing: the program and its folder need not exist', () => {
      const text = ECHO.replaceAll('"echo"', '"no-such-program"')
      assert.deepEqual(loadManifest(text, { path: '/no/such/folder/x.clad.toml' }).diagnostics, [])
    })
  })

  describe('loadManifestFile', () => {
    test('finds the types and the scope of the project', async () => {
      write('toolclad.toml', '[types.service]\nbase = "enum"\nallowed = ["ssh"]\n')
      write('scope/scope.toml', '[scope]\nallowed_domains = ["example.com"]\n')
      const text = `${TOOL}[args.host]\ntype = "scope_target"\nscope_check = true\n[args.service]\ntype = "service"\n[command]\nexec = ["echo", "{host}"]\n${TEXT}`
      const manifest = loaded(await loadManifestFile(write('tools/deep/any.name', text), { settings }))
      const args = { host: 'example.com', service: 'ssh' }
      assert.deepEqual(await manifest.validate(args, { dns: false }), { ok: true, values: args })
      assert.deepEqual(fencesOf(await manifest.validate({ ...args, host: 'example.org' })), ['scope'])
    })

    test('judges what the program really is', async () => {
      symlinkSync('/bin/sh', join(folder, 'harmless'))
      const program = JSON.stringify(join(folder, 'harmless'))
      const file = write('x.clad.toml', ECHO.replace('exec = ["echo"', `exec = [${program}`))
      const { manifest, diagnostics } = await loadManifestFile(file)
      assert.equal(manifest, undefined)
      assert.ok(diagnostics.some(({ code, severity }) => code === 'interpreter' && severity === 'error'))
    })

    test('says that a file cannot be read', async () => {
      const { manifest, diagnostics } = await loadManifestFile(join(folder, 'none.clad.toml'))
      assert.equal(manifest, undefined)
      assert.deepEqual(
        diagnostics.map(({ code }) => code),
        ['file_unreadable'],
      )
    })

    test('lets no path argument name what decides about it', async () => {
      write('toolclad.toml', '')
      const text = `${TOOL}[args.file]\ntype = "path"\n[command]\nexec = ["echo", "{file}"]\n${TEXT}`
      const manifest = loaded(await loadManifestFile(write('x.clad.toml', text), { settings }))
      assert.deepEqual(fencesOf(await manifest.validate({ file: 'toolclad.toml' })), ['reserved_file'])
      assert.deepEqual(await manifest.validate({ file: 'x.clad.toml' }), { ok: true, values: { file: 'x.clad.toml' } })
    })
  })

  describe('validate', () => {
    const HOST = `${TOOL}[args.host]\ntype = "scope_target"\nblock_internal = true\n[args.port]\ntype = "port"\ndefault = 80\n[command]\nexec = ["echo", "{host}", "{port}"]\n${TEXT}`

    test('gives canonical texts, defaults filled in', async () => {
      assert.deepEqual(await load(HOST).validate({ host: 'example.com', port: 443 }, { dns: false }), {
        ok: true,
        values: { host: 'example.com', port: '443' },
      })
      assert.deepEqual(await load(HOST).validate({}), { ok: true, values: { port: '80' } })
    })

    test('asks the resolver it is given, and every answer has to be allowed', async () => {
      const asked: string[] = []
      const answer = (...addresses: readonly string[]) => ({
        resolve: async (host: string) => {
          asked.push(host)
          return addresses
        },
      })
      const args = { host: 'example.com' }
      assert.equal((await load(HOST).validate(args, answer('93.184.215.14'))).ok, true)
      assert.deepEqual(fencesOf(await load(HOST).validate(args, answer('93.184.215.14', '10.0.0.1'))), ['internal'])
      assert.deepEqual(fencesOf(await load(HOST).validate(args, answer())), ['dns'])
      assert.equal((await load(HOST).validate(args, { ...answer('10.0.0.1'), dns: false })).ok, true)
      assert.deepEqual(asked, ['example.com', 'example.com', 'example.com'])
      const exempt = load(HOST, { settings: { allow_internal: ['10.0.0.0/8'] } })
      assert.equal((await exempt.validate(args, answer('10.0.0.1'))).ok, true)
    })

    test('names one broken fence for each argument, unknown ones last', async () => {
      const result = await load(HOST).validate({ port: 'x', nope: 1, host: 'a b' })
      assert.deepEqual(!result.ok && result.refusals.map(({ argument }) => argument), ['host', 'port', 'nope'])
    })
  })

  describe('command', () => {
    test('shows an argv, with paths as text', () => {
      const text = `${TOOL}[args.file]\ntype = "path"\n[command]\nexec = ["cat", "{file}", "--out", "{_output_file}"]\n${TEXT}`
      const manifest = load(text.replace('"echo"', '"cat"'), { path: join(folder, 'x.clad.toml') })
      assert.deepEqual(manifest.command({ file: 'not/there' }), {
        kind: 'command',
        argv: ['cat', join(folder, 'not/there'), '--out', '{_output_file}'],
      })
    })

    test('shows a request with its secrets unread', () => {
      const text = `${TOOL.replace('binary = "echo"\n', '')}[args.q]\ntype = "string"\n[http]\nmethod = "POST"\nurl = "https://api.example.com/find?q={q}"\nheaders = { Authorization = "Bearer {_secret:key}" }\nbody_template = '{"q": "{q}"}'\n${TEXT}`
      assert.deepEqual(load(text, { settings: { secrets: { key: 'S3CRET-S3CRET' } } }).command({ q: 'a"b' }), {
        kind: 'http',
        method: 'POST',
        url: 'https://api.example.com/find?q=a%22b',
        headers: { authorization: 'Bearer {_secret:key}', 'content-type': 'application/json' },
        body: '{"q": "a\\"b"}',
      })
    })

    test('shows what another server would be asked', () => {
      const text = `${TOOL.replace('binary = "echo"\n', '')}[args.title]\ntype = "string"\n[mcp]\nserver = "tracker"\ntool = "create"\nfield_map = { title = "summary" }\n${TEXT}`
      assert.deepEqual(load(text).command({ title: 'x' }), {
        kind: 'mcp',
        server: 'tracker',
        tool: 'create',
        arguments: { summary: 'x' },
      })
    })

    test('is nothing a callback could have', () => {
      const text = '[tool]\nname = "c"\ndispatch = "callback"\n'
      assert.throws(() => load(text).command({}), TypeError)
    })
  })

  test('schema gives the tool as MCP clients see it', () => {
    const [tool, ...others] = load(ECHO).schema()
    assert.deepEqual(others, [])
    assert.equal(tool?.name, 'sample')
    assert.deepEqual(tool?.inputSchema['required'], ['text'])
  })

  describe('runManifest', () => {
    test('runs the program and keeps its evidence where it is told', async () => {
      const envelope = envelopeOf(await runManifest(load(ECHO), { text: 'hello' }))
      assert.equal(envelope['status'], 'success')
      assert.deepEqual(envelope['results'], { raw_output: 'hello\n' })
      assert.equal(readdirSync(join(folder, 'evidence')).length, 1)
      const elsewhere = join(folder, 'elsewhere')
      await runManifest(load(ECHO), { text: 'hello' }, { settings: { evidence_dir: elsewhere } })
      assert.equal(readdirSync(elsewhere).length, 1)
    })

    test('says of a program that failed how it did', async () => {
      const text = ECHO.replaceAll('"echo"', '"false"')
      const envelope = envelopeOf(await runManifest(load(text), { text: 'x' }))
      assert.deepEqual([envelope['status'], envelope['exit_code']], ['error', 1])
    })

    test('refuses what validate refuses', async () => {
      const result = await runManifest(load(ECHO), { text: 'a;b' })
      assert.equal(result.kind, 'refused')
      assert.deepEqual(fencesOf(result), ['metacharacter'])
    })

    test('wants approval by default, which approve is and which a gate takes the place of', async () => {
      const manifest = load(ECHO.replace('"low"', '"high"'))
      const args = { text: 'x' }
      const denied = await runManifest(manifest, args)
      assert.deepEqual(
        [denied.kind, denied.kind === 'denied' && [denied.denied.by, denied.denied.code]],
        ['denied', ['approval', 'approval_required']],
      )
      assert.equal((await runManifest(manifest, args, { approve: true })).kind, 'envelope')
      assert.equal((await runManifest(manifest, args, { gate: () => ({ allow: true }) })).kind, 'envelope')
      const both = await runManifest(manifest, args, {
        approve: true,
        gate: () => ({ allow: false, reason: 'Not today.' }),
      })
      assert.deepEqual(both, { kind: 'denied', denied: { by: 'gate', code: 'gate_denied', reason: 'Not today.' } })
    })

    test('asks the gate with canonical values and the argv, before anything is looked up', async () => {
      const text = `${TOOL}[args.host]\ntype = "scope_target"\nblock_internal = true\n[args.n]\ntype = "integer"\n[command]\nexec = ["echo", "{host}", "{n}"]\n${TEXT}`
      const seen: GateRequest[] = []
      const gate = (request: GateRequest) => {
        seen.push(request)
        return { allow: false }
      }
      const resolve = () => assert.fail('nothing is looked up for a call that is denied')
      const result = await runManifest(load(text), { host: 'Example.com', n: '007' }, { gate, resolve })
      assert.equal(result.kind, 'denied')
      const [request] = seen
      assert.deepEqual(request, {
        tool: 'sample',
        version: '1.2.0',
        values: request?.values,
        argv: ['echo', request?.values['host'], '7'],
        risk_tier: 'low',
      })
    })

    test('takes a gate that throws, or answers anything but allow: true, as a denial', async () => {
      const yes: unknown = 'yes'
      const gates = [
        () => Promise.reject(new Error('broken')),
        () => Promise.resolve({}),
        () => Promise.resolve({ allow: yes }),
        () => Promise.resolve(undefined),
      ]
      for (const gate of gates) {
        const options: object = { gate } // as plain JavaScript passes it
        const result = await runManifest(load(ECHO), { text: 'x' }, options)
        assert.equal(result.kind === 'denied' && result.denied.by, 'gate')
      }
    })

    test('hands the values of a callback back, judged and allowed', async () => {
      const text =
        '[tool]\nname = "c"\ndispatch = "callback"\nrisk_tier = "high"\n[args.n]\ntype = "integer"\ndefault = 5\n'
      const manifest = load(text)
      assert.equal((await runManifest(manifest, {})).kind, 'denied')
      assert.deepEqual(await runManifest(manifest, {}, { approve: true }), { kind: 'values', values: { n: '5' } })
      assert.equal((await runManifest(manifest, { n: 'x' }, { approve: true })).kind, 'refused')
    })

    test('denies sessions and browsers, which do not run yet, and still validates their commands', async () => {
      const text = `${TOOL.replace('binary = "echo"\n', '')}[session]\nready_pattern = "> $"\nstartup_command = "psql"\n[session.commands.ping]\npattern = "^ping$"\ndescription = "Pings"\nrisk_tier = "low"\n[session.commands.look]\npattern = "^look [a-z]+$"\ndescription = "Looks"\nrisk_tier = "low"\n[session.commands.look.args.what]\ntype = "string"\nrequired = true\n${TEXT}`
      const manifest = load(text)
      const result = await runManifest(manifest, {}, { approve: true })
      assert.deepEqual(result.kind === 'denied' && [result.denied.by, result.denied.code], [
        'backend',
        'not_executable',
      ])
      assert.deepEqual(
        manifest.schema().map(({ name }) => name),
        ['sample.ping', 'sample.look'],
      )
      assert.deepEqual(fencesOf(await manifest.validate({}, { command: 'look' })), ['required', 'required'])
      await assert.rejects(manifest.validate({}), /ping, look/)
    })

    test('a dry run shows what would happen, approval aside', async () => {
      const manifest = load(ECHO.replace('"low"', '"critical"'))
      const shown = await runManifest(manifest, { text: 'x' }, { dryRun: true })
      assert.deepEqual(shown, {
        kind: 'dry_run',
        report: {
          tool: 'sample',
          kind: 'command',
          argv: ['echo', 'x'],
          values: { text: 'x' },
          checks: { scope: 'ok', dns: 'skipped', gate: 'refused' },
          timeout_seconds: 60,
          risk_tier: 'critical',
        },
      })
      const gated = await runManifest(manifest, { text: 'x' }, { dryRun: true, gate: () => ({ allow: true }) })
      assert.match(JSON.stringify(gated), /"gate":"ok"/)
      assert.equal((await runManifest(manifest, {}, { dryRun: true })).kind, 'refused')
    })

    test('ends a program whose caller gives up', async () => {
      const text = `${TOOL}[command]\nexec = ["sleep", "60"]\n${TEXT}`.replace('"echo"', '"sleep"')
      const controller = new AbortController()
      const running = runManifest(load(text), {}, { signal: controller.signal })
      setImmediate(() => controller.abort())
      const result = await running.catch((error: unknown) => error)
      assert.ok(result instanceof Error || JSON.stringify(result).includes('"error"'))
      await assert.rejects(runManifest(load(text), {}, { signal: AbortSignal.abort(new Error('gone')) }), /gone/)
    })

    test('sends the secrets it is given, and shows them nowhere', async () => {
      const server = createServer((request, response) => {
        response.end(JSON.stringify({ echo: request.headers.authorization }))
      })
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      try {
        const address = server.address()
        assert.ok(typeof address === 'object' && address !== null)
        const { port } = address
        const text = `${TOOL.replace('binary = "echo"\n', '')}[http]\nmethod = "GET"\nurl = "http://127.0.0.1:${port}/"\nheaders = { Authorization = "Bearer {_secret:key}" }\n[output]\nformat = "json"\n`
        const given = { secrets: { key: 'S3CRET-S3CRET' } }
        const envelope = envelopeOf(await runManifest(load(text, { settings: given }), {}))
        assert.equal(envelope['status'], 'success')
        assert.ok(!JSON.stringify(envelope).includes('S3CRET'))
        assert.match(JSON.stringify(envelope['results']), /Bearer/)
        const without = envelopeOf(await runManifest(load(text), {}))
        assert.equal(without['status'], 'error')
      } finally {
        server.closeAllConnections()
        await new Promise(resolve => server.close(resolve))
      }
    })

    test('wants a manifest that was loaded', async () => {
      await assert.rejects(runManifest({ ...load(ECHO) }, {}), TypeError)
    })
  })
})

function fencesOf(result: { readonly refusals?: readonly { readonly fence: string }[] } | object): readonly string[] {
  return 'refusals' in result ? (result.refusals ?? []).map(({ fence }) => fence) : []
}
