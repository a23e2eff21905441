// The command line as people and scripts use it: a real process, its streams and its exit code.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { CLI, NODE, processesWith, sallyport, until } from '../helpers/processes.ts'
import type { Ended, RunOptions } from '../helpers/processes.ts'
import { makeWorkspace, manifest, TOOLS } from '../helpers/workspace.ts'

const COUNT = manifest(
  'count',
  ['wc', '-c', '{file}'],
  '[args.file]\nrequired = true\ntype = "path"\ndescription = "What to count"',
)
const ECHO = manifest(
  'echo',
  ['printf', '%s', '{text}'],
  '[args.text]\ntype = "string"\nrequired = true\npattern = ".*"',
)
const JSON_TOOL = manifest('badjson', ['printf', '{{"a":']).replace('format = "text"', 'format = "json"')

const workspace = makeWorkspace({
  ...TOOLS,
  'tools/count.clad.toml': COUNT,
  'tools/echo.clad.toml': ECHO,
  'tools/badjson.clad.toml': JSON_TOOL,
  'notes.txt': '12345',
  'sallyport.yaml': 'tools: [tools/*.clad.toml]\n',
  'deep/er/x.txt': '',
})
const env = { SALLYPORT_STATE: `${workspace.path}/.state`, TOOLCLAD_EVIDENCE_DIR: `${workspace.path}/evidence` }
describe('cli', () => {
  after(() => workspace.dispose())

  function cli(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return sallyport(args, { cwd: workspace.path, ...options, env: { ...env, ...options.env } })
  }

  interface JsonEnded {
    readonly value: unknown
    readonly code: number | null
    readonly stderr: string
  }

  async function json(args: readonly string[], options: RunOptions = {}): Promise<JsonEnded> {
    const { stdout, code, stderr } = await cli([...args, '--json'], options)
    return { value: parse(stdout), code, stderr }
  }

  function parse(text: string): unknown {
    return JSON.parse(text)
  }

  /** What lies at the end of a path into a JSON value. */
  function at(value: unknown, ...path: readonly (string | number)[]): unknown {
    return path.reduce<unknown>(
      (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
      value,
    )
  }

  /** Some members of every item of a list. */
  function pick(list: unknown, ...keys: readonly string[]): readonly unknown[] {
    assert.ok(Array.isArray(list))
    return list.map((item: unknown) => keys.map(key => at(item, key)))
  }

  describe('run', () => {
    test('prints the envelope, and nothing else, on stdout', async () => {
      const { stdout, stderr, code } = await cli(['run', 'count', '--arg', 'file=notes.txt'])
      assert.equal(code, 0, stderr)
      const envelope = parse(stdout)
      assert.equal(at(envelope, 'status'), 'success')
      assert.match(String(at(envelope, 'results', 'raw_output')), /^5 /)
      assert.equal(stderr, '')
    })

    test('runs the tool of a file', async () => {
      const { value, code } = await json(['run', 'tools/count.clad.toml', '--arg', 'file=notes.txt'])
      assert.deepEqual([code, at(value, 'tool')], [0, 'count'])
    })

    test('1: refused arguments, every one of them, in order', async () => {
      const { value, code, stderr } = await json(['run', 'count', '--arg', 'file=../x', '--arg', 'fiel=y'])
      assert.equal(code, 1)
      assert.deepEqual(pick(at(value, 'refusals'), 'argument', 'fence'), [
        ['file', 'traversal'],
        ['fiel', 'unknown_argument'],
      ])
      assert.match(stderr, /file/)
    })

    test('2: an unknown tool, with the nearest name', async () => {
      const { stdout, stderr, code } = await cli(['run', 'cuont'])
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /did you mean "count"/)
    })

    test('2: a file that does not load, with the line', async () => {
      workspace.write('wrong.clad.toml', '[tool]\nname = "w"\nbinry = "wc"\n')
      const { stdout, stderr, code } = await cli(['run', './wrong.clad.toml'])
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /wrong\.clad\.toml:3:1/)
      assert.match(stderr, /3 \| binry = "wc"\n.*\^\^\^\^\^/)
    })

    test('2: a file that is not there', async () => {
      const { stderr, code } = await cli(['run', './gone.clad.toml'])
      assert.equal(code, 2)
      assert.match(stderr, /gone\.clad\.toml/)
    })

    test('3: a program that failed', async () => {
      const { value, code } = await json(['run', 'fail'])
      assert.deepEqual([code, at(value, 'status')], [3, 'error'])
    })

    test('4: output that is not what it should be', async () => {
      const { value, code } = await json(['run', 'badjson'])
      assert.deepEqual([code, at(value, 'results', 'error', 'code')], [4, 'parse'])
    })

    test('5: approval needed, unless given', async () => {
      const denied = await json(['run', 'launch'])
      assert.equal(denied.code, 5)
      assert.equal(at(denied.value, 'denied', 'by'), 'approval')
      const approved = await json(['run', 'launch', '--approve'])
      assert.deepEqual([approved.code, at(approved.value, 'results', 'raw_output')], [0, 'launched'])
    })

    test('takes an argument verbatim after its first =', async () => {
      const { value, code } = await json(['run', 'echo', '--arg', 'text=a=b==c'])
      assert.deepEqual([code, at(value, 'results', 'raw_output')], [0, 'a=b==c'])
      const empty = await json(['run', 'echo', '--arg', 'text='])
      assert.deepEqual([empty.code, at(empty.value, 'results', 'raw_output')], [0, ''])
    })

    test('130: a Ctrl-C ends the program it runs', async () => {
      const child = spawn(NODE, [CLI, 'run', 'wait', '--arg', 'seconds=417'], {
        cwd: workspace.path,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      child.stdout.resume()
      const ended = once(child, 'exit')
      await until('the program runs', () => processesWith('sleep 417').length === 1)
      child.kill('SIGINT')
      await ended
      assert.equal(child.exitCode, 130)
      await until('the program is gone', () => processesWith('sleep 417').length === 0)
    })
  })

  describe('call', () => {
    const calls: readonly { readonly name: string; readonly args: readonly string[]; readonly input?: string }[] = [
      { name: 'one by one', args: ['--arg', 'text=a'] },
      { name: 'as JSON', args: ['--args', '{"text": "a"}'] },
      { name: 'from a file', args: ['--args', '@call.json'] },
      { name: 'from standard input', args: ['--args', '-'], input: '{"text": "a"}' },
      { name: 'with --arg over --args', args: ['--args', '{"text": "b"}', '--arg', 'text=a'] },
    ]
    workspace.write('call.json', '{"text": "a"}')
    for (const { name, args, input } of calls)
      test(`takes arguments ${name}`, async () => {
        const { value, code } = await json(['call', 'say', ...args], input === undefined ? {} : { input })
        assert.deepEqual([code, at(value, 'results', 'raw_output')], [0, 'a'])
      })

    test('1, 2, 3, 5 as run; 2 names what can be seen', async () => {
      assert.equal((await cli(['call', 'say'])).code, 1)
      const unknown = await cli(['call', 'sya'])
      assert.equal(unknown.code, 2)
      assert.match(unknown.stderr, /did you mean "say"/)
      assert.equal((await cli(['call', 'fail'])).code, 3)
      assert.equal((await cli(['call', 'launch'])).code, 5)
    })

    test('has no --approve', async () => {
      assert.equal((await cli(['call', 'launch', '--approve'])).code, 64)
    })
  })

  describe('the rest', () => {
    test('list shows what serve would offer, from any folder below the workspace', async () => {
      const { value, code } = await json(['list'], { cwd: `${workspace.path}/deep/er` })
      assert.equal(code, 0)
      assert.deepEqual(pick(value, 'name').flat(), ['badjson', 'count', 'echo', 'fail', 'launch', 'say', 'wait'])
      const launch = at(value, 4)
      assert.deepEqual(launch, {
        name: 'launch',
        kind: 'command',
        version: '1.0.0',
        risk_tier: 'critical',
        file: `${workspace.path}/tools/launch.clad.toml`,
      })
      assert.match(
        (await cli(['list'])).stdout,
        /^NAME .*\n[\s\S]*^launch +command +critical +tools\/launch\.clad\.toml/m,
      )
    })

    test('schema prints what an MCP client gets, of a tool or a file', async () => {
      const byName = await json(['schema', 'count'])
      const byFile = await json(['schema', 'tools/count.clad.toml'])
      assert.deepEqual(
        [byName.code, at(byName.value, 'name'), at(byName.value, 'inputSchema', 'required')],
        [0, 'count', ['file']],
      )
      assert.deepEqual(byFile.value, byName.value)
      assert.equal((await cli(['schema', 'nothing'])).code, 2)
    })

    test('test shows what would run and runs nothing', async () => {
      const { value, code } = await json(['test', 'launch'])
      assert.equal(code, 0)
      assert.deepEqual(value, {
        tool: 'launch',
        kind: 'command',
        argv: ['printf', 'launched'],
        values: {},
        checks: { scope: 'ok', dns: 'skipped', gate: 'refused' },
        timeout_seconds: 20,
        risk_tier: 'critical',
      })
      assert.match((await cli(['test', 'launch'])).stdout, /argv +\["printf","launched"\]/)
      assert.equal((await cli(['test', 'count', '--arg', 'file=/etc/passwd'])).code, 1)
      assert.equal((await cli(['test', 'nothing'])).code, 2)
    })

    test('validate judges every file, in every format', async () => {
      workspace.write('broken.clad.toml', '[tool]\nnmae = "x"\n')
      const files = ['broken.clad.toml', 'tools/say.clad.toml']
      const { value, code } = await json(['validate', ...files])
      assert.deepEqual([code, at(value, 'ok')], [1, false])
      assert.deepEqual(pick(at(value, 'files'), 'file', 'format', 'ok'), [
        ['broken.clad.toml', 'toolclad', false],
        ['tools/say.clad.toml', 'toolclad', true],
      ])
      const found = pick(at(value, 'files', 0, 'diagnostics'), 'code', 'line')
      assert.ok(JSON.stringify(found).includes('["unknown_key",2]'), JSON.stringify(found))
      const text = await cli(['validate', ...files])
      assert.match(text.stdout, /2 \| nmae = "x"\n {2}\| \^\^\^\^/)
      const github = await cli(['validate', ...files, '--format', 'github'])
      assert.match(github.stdout, /^::error file=broken\.clad\.toml,line=2,col=1,title=unknown_key::/m)
      const sarif = await cli(['validate', ...files, '--format', 'sarif'])
      assert.equal(at(parse(sarif.stdout), 'version'), '2.1.0')
      assert.equal((await cli(['validate', 'tools/say.clad.toml'])).code, 0)
      assert.equal((await cli(['validate', 'gone.clad.toml'])).code, 1)
    })

    test('audit lists, shows and verifies', async () => {
      await cli(['call', 'say', '--arg', 'text=audited'])
      const { stdout } = await cli(['audit', 'list', '--json'])
      const last = parse(stdout.trim().split('\n').at(-1) ?? '')
      assert.deepEqual(pick([last], 'tool', 'outcome', 'principal', 'args'), [
        ['say', 'ok', 'local', { text: 'audited' }],
      ])
      const shown = await json(['audit', 'show', String(at(last, 'id'))])
      assert.deepEqual(shown.value, last)
      const { value, code } = await json(['audit', 'verify'])
      assert.deepEqual([code, at(value, 'ok'), at(value, 'problems')], [0, true, []])
      assert.equal((await cli(['audit', 'show', 'nothing'])).code, 2)
      assert.equal((await cli(['audit', 'verfy'])).code, 64)
    })

    test('64: what is no command, no flag, no operand, with the nearest one', async () => {
      const cases: readonly (readonly [readonly string[], RegExp])[] = [
        [['lst'], /did you mean "list"/],
        [['list', '--jsno'], /did you mean "--json"/],
        [['run'], /TOOL or FILE/],
        [['run', 'say', '--arg', 'text'], /NAME=VALUE/],
        [['call', 'say', '--args', '['], /JSON object/],
        [['list', '--format', 'xml'], /text, json/],
        [['serve', '--listen', 'nowhere'], /HOST:PORT/],
        [['list', '--state', ''], /expected a folder/],
        [[], /usage/],
      ]
      for (const [args, message] of cases) {
        const { code, stdout, stderr } = await cli(args)
        assert.deepEqual([code, stdout], [64, ''], args.join(' '))
        assert.match(stderr, message)
      }
    })

    test('help explains every command it names, with examples', async () => {
      const { stdout, code } = await cli(['help'])
      assert.equal(code, 0)
      const names = [...stdout.matchAll(/^ {2}(\w+) {2}/gm)].map(([, name = '']) => name)
      assert.deepEqual(names, [
        'serve',
        'list',
        'schema',
        'types',
        'show',
        'test',
        'run',
        'call',
        'validate',
        'init',
        'doctor',
        'audit',
        'version',
        'help',
      ])
      for (const name of names) {
        const byCommand = await cli(['help', name])
        assert.match(byCommand.stdout, new RegExp(`usage: sallyport ${name}[\\s\\S]*examples:\\n {2}# `))
        assert.equal((await cli([name, '--help'])).stdout, byCommand.stdout)
      }
    })

    test('a reader that leaves early is no fault', async () => {
      const child = spawn('sh', ['-c', `"$0" "$1" list --json | head -c 1`, NODE, CLI], {
        cwd: workspace.path,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let stderr = ''
      child.stderr.setEncoding('utf8').on('data', chunk => (stderr += String(chunk)))
      child.stdout.resume()
      await once(child, 'close')
      assert.equal(stderr, '')
    })
  })
})
