// Executors, output files and limits with real programs, well-behaved and hostile.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { unprivileged } from '../../../test/helpers/unprivileged.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject } from '../../core/json.ts'
import { LOCAL } from '../../core/principal.ts'
import type { ProcessResult } from '../../core/tool.ts'
import { FORMATS } from '../../formats/index.ts'
import { isInterpreter } from '../../formats/toolclad/lint.ts'
import { openSpawner } from '../../io/spawn.ts'
import { systemClock, systemIds } from '../../io/system.ts'
import type { Resolution } from '../backend.ts'
import { command } from './index.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'executor-test-')))
const silent = (): void => {}
const logger = { debug: silent, info: silent, warn: silent, error: silent }
const spawner = openSpawner({ clock: systemClock, logger, killGraceMs: 200 })

describe('what a command gets beside its argv', () => {
  after(async () => {
    await spawner.close()
    rmSync(base, { recursive: true })
  })

  let root: string
  let evidenceRoot: string
  let count = 0
  beforeEach(() => {
    count += 1
    root = join(base, String(count), 'root')
    evidenceRoot = join(base, String(count), 'evidence')
    mkdirSync(join(root, 'tools'), { recursive: true })
  })

  const HEAD = '[tool]\nname = "t"\nversion = "1"\nbinary = "sh"\ndescription = "d"\nallow_interpreter = true\n'

  async function prepare(
    rest: string,
    options: { readonly head?: string; readonly findLimiter?: () => undefined } = {},
  ) {
    const { head = HEAD, ...deps } = options
    const text = rest.includes('[output]') ? head + rest : `${head}${rest}\n[output]\nformat = "text"`
    const { tools, diagnostics } = FORMATS.toolclad.load(text, { root, file: join(root, 'tools', 't.clad.toml') })
    const [tool] = tools
    assert.ok(tool, JSON.stringify(diagnostics))
    const environment = { lang: 'C.UTF-8' }
    const opened = { spawner, clock: systemClock, ids: systemIds, logger, environment, evidenceRoot, ...deps }
    const backend = command.open({ ...opened, reserved: [], allowHidden: false, isInterpreter })
    const prepared = await backend.prepare(tool)
    const resolve = async (args: JsonObject = {}): Promise<Resolution> => {
      const validation = tool.validate(args)
      assert.ok(validation.ok, JSON.stringify(validation))
      return prepared.callable.resolve(validation.values, { lookups: true, signal: new AbortController().signal })
    }
    return { tool, resolve, backend, diagnostics: prepared.diagnostics }
  }

  async function run(rest: string, args: JsonObject = {}): Promise<ProcessResult & { readonly envelope: JsonObject }> {
    const { tool, resolve } = await prepare(rest)
    const resolution = await resolve(args)
    assert.ok(resolution.status === 'ready', JSON.stringify(resolution))
    const signal = new AbortController().signal
    const context = { id: 'x', principal: LOCAL, signal, clock: systemClock, progress: silent, approved: false }
    const raw = await resolution.ready.run(context)
    assert.ok(raw.kind === 'process')
    const { value } = (await tool.interpret(raw)).result
    assert.ok(isJsonObject(value))
    return { ...raw, envelope: value }
  }

  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

  function script(content: string, name = 'wrap'): string {
    const file = join(root, 'tools', name)
    writeFileSync(file, content)
    chmodSync(file, 0o755)
    return file
  }

  describe('an executor', () => {
    test('lies beside its manifest and gets the arguments in its environment', async () => {
      const file = script('#!/bin/sh\necho "$# $0"; env')
      writeFileSync(join(root, 'f'), '')
      const args =
        '[args.target]\nrequired = true\n[args.file]\ntype = "path"\n[args.none]\n[args.path]\ndefault = "x"\n'
      const raw = await run(`${args}[command]\nexecutor = "wrap"`, { target: 'a=b', file: 'f' })
      const [first, ...rest] = text(raw.stdout).trim().split('\n')
      assert.equal(first, `0 ${file}`)
      const env = new Map(rest.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
      assert.deepEqual([...env.keys()].toSorted(), [
        'HOME',
        'LANG',
        'PATH',
        'PWD',
        'TMPDIR',
        'TOOLCLAD_ARG_FILE',
        'TOOLCLAD_ARG_PATH',
        'TOOLCLAD_ARG_TARGET',
        'TOOLCLAD_EVIDENCE_DIR',
        'TOOLCLAD_OUTPUT_DIR',
        'TOOLCLAD_SCAN_ID',
        'TOOLCLAD_TOOL_NAME',
      ])
      assert.equal(env.get('TOOLCLAD_ARG_TARGET'), 'a=b')
      assert.equal(env.get('TOOLCLAD_ARG_FILE'), join(root, 'f'))
      assert.equal(env.get('TOOLCLAD_SCAN_ID'), raw.scanId)
      assert.equal(env.get('TOOLCLAD_TOOL_NAME'), 't')
      assert.equal(env.get('TOOLCLAD_EVIDENCE_DIR'), dirname(raw.outputFile ?? ''))
      assert.equal(raw.envelope['command'], `${file} (custom executor)`)
    })

    test('shows what it would get', async () => {
      script('#!/bin/sh\n')
      const { resolve } = await prepare('[args.a]\nrequired = true\n[command]\nexecutor = "wrap"')
      const resolution = await resolve({ a: 'v' })
      assert.ok(resolution.status === 'ready')
      const { kind, argv, env } = resolution.ready.preview
      assert.deepEqual([kind, argv], ['command', [join(root, 'tools', 'wrap')]])
      assert.ok(typeof env === 'object' && env !== null && 'TOOLCLAD_ARG_A' in env && env['TOOLCLAD_ARG_A'] === 'v')
    })

    test('keeps a path argument inside the root', async () => {
      script('#!/bin/sh\n')
      const { resolve } = await prepare('[args.f]\ntype = "path"\n[command]\nexecutor = "wrap"')
      const outside = join(base, String(count), 'out')
      mkdirSync(outside)
      symlinkSync(outside, join(root, 'link'))
      const resolution = await resolve({ f: 'link/x' })
      assert.ok(resolution.status === 'refused')
      assert.deepEqual(
        resolution.refusals.map(({ fence }) => fence),
        ['outside_root'],
      )
    })

    test('that is a script needs allow_interpreter, when it is loaded and when it has become one', async () => {
      const head = '[tool]\nname = "t"\nversion = "1"\nbinary = "true"\ndescription = "d"\n'
      const file = script('#!/bin/sh\n')
      const atLoad = await prepare('[command]\nexecutor = "wrap"', { head })
      assert.deepEqual(
        atLoad.diagnostics.map(({ code, severity, path }) => [code, severity, path]),
        [['interpreter', 'error', '/command/executor']],
      )
      writeFileSync(file, readFileSync('/bin/true'))
      const { resolve, diagnostics } = await prepare('[command]\nexecutor = "wrap"', { head })
      assert.deepEqual(diagnostics, [])
      assert.equal((await resolve()).status, 'ready')
      script('#!/bin/sh\necho replaced\n')
      const resolution = await resolve()
      assert.deepEqual([resolution.status, 'code' in resolution && resolution.code], ['denied', 'interpreter'])
    })
  })

  describe('an output file', () => {
    const writes = (commands: string, more = ''): string =>
      `[command]\nexec = ["sh", "-c", ${JSON.stringify(commands)}, "sh", "{_output_file}"]\n[output]\nformat = "json"\n${more}`

    test('is the result, hashed and kept, with stdout beside it', async () => {
      const raw = await run(writes('echo said; printf "[1]" > "$1"'))
      assert.deepEqual(raw.envelope['results'], [1])
      // Of `[1]`.
      assert.equal(
        raw.envelope['output_hash'],
        'sha256:080a9ed428559ef602668b4c00f114f1a11c3f6b02a435f0bdc154578e4d7f22',
      )
      assert.equal(readFileSync(raw.outputFile ?? '', 'utf8'), '[1]')
      assert.equal(readFileSync(join(evidenceRoot, `${raw.scanId}-t.stdout.txt`), 'utf8'), 'said\n')
      assert.match(raw.command, /output\.json$/)
    })

    const hostile: Readonly<Record<string, string>> = {
      'is missing': 'true',
      'is a link': 'ln -s /etc/passwd "$1"',
      'is a pipe': 'mkfifo "$1"',
      'is a folder': 'mkdir "$1"',
      'is a terabyte of nothing': 'truncate -s 1T "$1" || truncate -s 10G "$1"',
      'has a second name': 'printf 1 > "$1"; ln "$1" other',
      'is a link to a device': 'ln -s /dev/zero "$1"',
      'went with its folder': 'rm -r "$PWD"',
      'lies in a folder that became a file': 'd=$PWD; cd /; rm -r "$d"; printf 1 > "$d"',
      'lies in a folder that leads to another':
        'd=$PWD; mkdir "$d-other"; printf 1 > "$d-other/output.json"; cd /; rm -r "$d"; ln -s "$d-other" "$d"',
      'is larger than max_bytes': 'printf 12345678901 > "$1"',
      'lies in a folder that became a link': 'd=$(dirname "$1"); mv "$d" "$d-moved"; ln -s /etc "$d"; rmdir "$d-moved"',
    }
    for (const [what, commands] of Object.entries(hostile))
      test(`that ${what} is an error`, async () => {
        const raw = await run(writes(commands, 'max_bytes = 10'))
        assert.equal(raw.envelope['status'], 'error')
        assert.equal(raw.error?.code, 'output_file', JSON.stringify(raw.envelope))
        const folder = dirname(raw.command.split(' ').at(-1) ?? '')
        assert.equal(existsSync(folder), false)
        rmSync(`${folder}-other`, { recursive: true, force: true })
      })

    test('that a survivor writes on is read once: what was judged is what was kept', async () => {
      const survivor = 'exec >&- 2>&-; while [ -e "$1" ]; do echo >> "$1"; done'
      const raw = await run(writes(`echo 1 > "$1"; setsid sh -c '${survivor}' sh "$1" &`))
      assert.equal(readFileSync(raw.outputFile ?? '', 'utf8'), text(raw.written ?? new Uint8Array()))
    })

    test('says nothing where the program failed or ran out of time', async () => {
      const failed = await run(writes('exit 7'))
      assert.deepEqual([failed.envelope['exit_code'], failed.error], [7, undefined])
    })

    test('is wanted only where the call names it', async () => {
      const manifest =
        '[args.x]\n[command]\nexec = ["sh", "-c", "echo said", "{_c}"]\nconditionals.c = { when = "x != \'\'", template = "{_output_file}" }'
      assert.equal(text((await run(manifest)).stdout), 'said\n')
      assert.equal((await run(manifest, { x: 'y' })).error?.code, 'output_file')
    })

    test('has a place beside it: the evidence folder of the run is there, whether output is kept or not', async () => {
      const raw = await run(
        '[tool.evidence]\ncapture = false\noutput_dir = "{evidence_dir}/{scan_id}"\n[command]\nexec = ["sh", "-c", "touch $1/mine", "sh", "{_evidence_dir}"]',
      )
      assert.equal(raw.exitCode, 0)
      assert.deepEqual(readdirSync(join(evidenceRoot, raw.scanId)), ['mine'])
    })
  })

  test('a scratch folder that takes long to remove does not hold the call, and is gone at the end', async () => {
    const many = 'pwd; mkdir a; cd a; seq 5000 | xargs touch'
    const { resolve, backend } = await prepare(`[command]\nexec = ["sh", "-c", ${JSON.stringify(many)}]`)
    const resolution = await resolve()
    assert.ok(resolution.status === 'ready')
    const signal = new AbortController().signal
    const context = { id: 'x', principal: LOCAL, signal, clock: systemClock, progress: silent, approved: false }
    const raw = await resolution.ready.run(context)
    assert.ok(raw.kind === 'process' && raw.exitCode === 0)
    await backend.close()
    assert.equal(existsSync(text(raw.stdout).trim()), false)
  })

  describe('limits', { skip: process.platform === 'linux' ? false : 'prlimit is of Linux' }, () => {
    const cat = '[command]\nexec = ["cat", "/proc/self/limits"]'

    test('are those of the program, hard and soft', async () => {
      const raw = await run(
        `[tool.limits]\nnproc = 50\nnofile = 32\nfsize_bytes = 4096\naddress_space_bytes = 1073741824\ncpu_seconds = 5\n${cat}`,
      )
      const rows = new Map(
        text(raw.stdout)
          .split('\n')
          .map(line => [line.slice(0, 26).trim(), line.slice(26).trim().split(/\s+/).slice(0, 2)]),
      )
      assert.deepEqual(rows.get('Max processes'), ['50', '50'])
      assert.deepEqual(rows.get('Max open files'), ['32', '32'])
      assert.deepEqual(rows.get('Max file size'), ['4096', '4096'])
      assert.deepEqual(rows.get('Max address space'), ['1073741824', '1073741824'])
      assert.deepEqual(rows.get('Max cpu time'), ['5', '5'])
    })

    test('above what the gateway has itself are its own, which hold already', async () => {
      const raw = await run(`[tool.limits]\nnofile = 9007199254740991\n${cat}`)
      assert.match(text(raw.stdout), /^Max open files/m)
    })

    test('end a program that writes or computes too much', async () => {
      const write = await run(
        '[tool.limits]\nfsize_bytes = 1000\n[command]\nexec = ["sh", "-c", "exec head -c 5000 /dev/zero > f"]',
      )
      assert.equal(write.exitCode, 128 + 25)
      const compute = await run('[tool.limits]\ncpu_seconds = 1\n[command]\nexec = ["sh", "-c", "while :; do :; done"]')
      assert.equal(compute.exitCode, 128 + 9)
    })

    test('of a user without rights are enforced, and not his to raise', async () => {
      const shown = async (limit: string, commands: string): Promise<string> => {
        const { tool } = await prepare(
          `[tool.evidence]\ncapture = false\n[tool.limits]\n${limit}\n[command]\nexec = ["sh", "-c", ${JSON.stringify(commands)}]`,
        )
        return unprivileged(`
          import { command } from '${join(import.meta.dirname, 'index.ts')}'
          import { openSpawner } from '${join(import.meta.dirname, '../../io/spawn.ts')}'
          import { systemClock as clock, systemIds as ids } from '${join(import.meta.dirname, '../../io/system.ts')}'
          const logger = { warn: console.error }
          const spawner = openSpawner({ clock, logger })
          const tool = { ...${JSON.stringify(tool)}, locate: () => ({ line: 1, column: 1 }) }
          const backend = command.open({ spawner, clock, ids, logger, environment: {}, evidenceRoot: '/nowhere',
            reserved: [], allowHidden: false, isInterpreter: () => false })
          const signal = new AbortController().signal
          const { callable } = await backend.prepare(tool)
          const { ready } = await callable.resolve({}, { lookups: true, signal })
          const { stdout } = await ready.run({ signal, clock, progress: () => {} })
          process.stdout.write(stdout)
          await backend.close()
          await spawner.close()`)
      }
      // What root runs as may have as many processes as it likes.
      assert.doesNotMatch(await shown('nproc = 1', 'echo begun; (echo child) ; echo after'), /child/)
      assert.match(await shown('nofile = 20', 'ulimit -n 100 2>&1 || ulimit -n'), /^20$/m)
      assert.doesNotMatch(await shown('nofile = 10', 'exec 20</dev/null; echo opened'), /opened/)
    })

    test('leave argv as it was asked for', async () => {
      const raw = await run('[tool.limits]\nnofile = 64\n[command]\nexec = ["cat", "/proc/self/cmdline"]')
      assert.equal(text(raw.stdout), 'cat\0/proc/self/cmdline\0')
    })

    test('that cannot be applied: nothing runs', async () => {
      const { resolve, diagnostics } = await prepare(`[tool.limits]\nnproc = 1\n${cat}`, {
        findLimiter: () => undefined,
      })
      assert.deepEqual(
        diagnostics.map(({ code, severity, path }) => [code, severity, path]),
        [['program_missing', 'warning', '/tool/limits']],
      )
      const resolution = await resolve()
      assert.deepEqual([resolution.status, 'code' in resolution && resolution.code], ['denied', 'unsupported'])
    })
  })
})
