// Real programs, described by real manifests: what reaches them, what they cannot do, and what they leave behind.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { context, openTestCommand, processOf, shell } from '../../../test/helpers/command.ts'
import type { Manifest, Place } from '../../../test/helpers/command.ts'
import type { JsonObject } from '../../core/json.ts'

const commands = openTestCommand()
describe('command', () => {
  after(() => commands.close())

  let place = commands.fresh()
  let { root, evidenceRoot } = place
  beforeEach(() => {
    place = commands.fresh()
    ;({ root, evidenceRoot } = place)
  })
  const { prepared, resolve, run } = {
    prepared: (...args: Parameters<Place['prepared']>) => place.prepared(...args),
    resolve: (...args: Parameters<Place['resolve']>) => place.resolve(...args),
    run: (...args: Parameters<Place['run']>) => place.run(...args),
  }

  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
  describe('what reaches a program', () => {
    test('each value is one entry, whatever it holds', async () => {
      const args =
        '[args.a]\ntype = "string"\nallow_whitespace = true\nallow_leading_dash = true\n[args.b]\ntype = "enum"\nallowed = ["", "x y", "--force", "$(id)"]'
      const manifest = { exec: ['printf', '%s\\0', '{a}', 'fixed {{braces}}', '{b}'], args }
      const raw = await run(manifest, { a: '-n a  b * ~ é 🚪', b: '$(id)' })
      assert.deepEqual(text(raw.stdout).split('\0'), ['-n a  b * ~ é 🚪', 'fixed {braces}', '$(id)', ''])
      assert.equal(raw.command, 'printf %s\\0 -n a  b * ~ é 🚪 fixed {braces} $(id)')
    })

    test('an absent optional value contributes no entry, an explicit empty one does', async () => {
      const manifest = { exec: ['printf', '%s\\0', 'first', '{a}', 'last'], args: '[args.a]\ntype = "string"' }
      assert.deepEqual(text((await run(manifest)).stdout), 'first\0last\0')
      assert.deepEqual(text((await run(manifest, { a: '' })).stdout), 'first\0\0last\0')
    })

    test('a mapping and a conditional contribute what the values of the call choose', async () => {
      const args = [
        '[args.mode]\ntype = "enum"\nallowed = ["fast", "none"]\nrequired = true',
        '[args.note]\ntype = "string"\nallow_whitespace = true',
        '[command.mappings.mode]\nfast = "-T4 \'a b\'"\nnone = ""',
        '[command.conditionals]\nnote = { when = "note != \'\' and mode == \'fast\'", template = "--note {note}" }',
      ].join('\n')
      const manifest = { exec: ['printf', '%s\\0', '{_mode_flags}', '{_note}', 'end'], args }
      const entries = async (values: JsonObject): Promise<readonly string[]> =>
        text((await run(manifest, values)).stdout)
          .split('\0')
          .slice(0, -1)
      assert.deepEqual(await entries({ mode: 'fast', note: 'x  --y' }), ['-T4', 'a b', '--note', 'x  --y', 'end'])
      assert.deepEqual(await entries({ mode: 'fast' }), ['-T4', 'a b', 'end'])
      assert.deepEqual(await entries({ mode: 'none', note: 'x' }), ['end'])
    })

    test('end_of_options stands before the first value, and only where there is one', async () => {
      const args = '[args.a]\ntype = "string"\n[args.b]\ntype = "string"'
      const command = 'end_of_options = "--"'
      const { callable } = await prepared({ exec: ['printf', '{a}', '-x', '{b}'], args, command })
      const argvOf = async (values: Record<string, string>): Promise<unknown> => {
        const resolution = await callable.resolve(values, { lookups: true, signal: new AbortController().signal })
        return resolution.status === 'ready' && resolution.ready.preview['argv']
      }
      assert.deepEqual(await argvOf({ a: '1', b: '2' }), ['printf', '--', '1', '-x', '2'])
      // An absent value takes no `--` with it: the option after it stays one.
      assert.deepEqual(await argvOf({ b: '2' }), ['printf', '-x', '--', '2'])
      assert.deepEqual(await argvOf({}), ['printf', '-x'])
    })

    test('the environment is the fixed list, stdin is empty, the folder is its own', async () => {
      const raw = await run(shell('env; echo; cat; pwd; ls -A; stat -c %a .'))
      const [env = '', rest = ''] = text(raw.stdout).split('\n\n')
      const names = env.split('\n').map(line => line.slice(0, line.indexOf('=')))
      assert.deepEqual(
        names.toSorted((a, b) => (a < b ? -1 : 1)),
        ['HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR', 'TZ'],
      )
      const [folder, mode] = rest.trim().split('\n')
      assert.match(env, new RegExp(`^HOME=${String(folder)}$`, 'm'))
      assert.match(env, /^PATH=\/usr\/local\/sbin:\/usr\/local\/bin:\/usr\/sbin:\/usr\/bin:\/sbin:\/bin$/m)
      assert.equal(mode, '700')
    })

    test('an accepted value reaches a real process byte for byte and is one entry (property)', async () => {
      const args = [
        '[args.s]\ntype = "string"\nallow_whitespace = true',
        '[args.n]\ntype = "integer"\nallow_leading_dash = true',
        '[args.b]\ntype = "boolean"',
        '[args.e]\ntype = "enum"\nallowed = ["a b", "-x", "\\"q\\"", "é"]',
      ].join('\n')
      const { tool, callable } = await prepared({ exec: ['printf', '%s\\0', '{s}', '{n}', '{b}', '{e}'], args })
      const argument = fc.record({
        s: fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.string({ unit: 'binary' }),
          fc.constantFrom('a b', 'ä', '\u00a0', '*?~#%^'),
        ),
        n: fc.oneof(
          fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
          fc.constantFrom('007', '+5', '-0', '1e3', ' 1'),
        ),
        b: fc.constantFrom('true', 'FALSE', 'yes', true),
        e: fc.constantFrom('a b', '-x', '"q"', 'é', 'A b'),
      })
      let accepted = 0
      await fc.assert(
        fc.asyncProperty(argument, async given => {
          const validation = tool.validate(given)
          if (!validation.ok) return
          accepted += 1
          const { values } = validation
          const resolution = await callable.resolve(values, { lookups: true, signal: new AbortController().signal })
          assert.ok(resolution.status === 'ready')
          const raw = processOf(await resolution.ready.run(context()))
          assert.deepEqual(
            text(raw.stdout),
            ['s', 'n', 'b', 'e'].map(name => (typeof values[name] === 'string' ? `${values[name]}\0` : '')).join(''),
          )
        }),
        { numRuns: 150, examples: [[{ s: 'a b', n: '-0', b: 'FALSE', e: '-x' }]] },
      )
      assert.ok(accepted > 5)
    })
  })

  describe('a path value', () => {
    const cat: Manifest = { exec: ['cat', '{file}'], args: '[args.file]\ntype = "path"\nrequired = true' }
    const refusal = async (file: string, reserved?: readonly string[]): Promise<string | undefined> => {
      const resolution = await resolve(cat, { file }, reserved)
      return resolution.status === 'refused' ? resolution.refusals[0]?.fence : resolution.status
    }

    test('is absolute below the root when it reaches the program', async () => {
      writeFileSync(join(root, 'a.txt'), 'content')
      const raw = await run(cat, { file: './a.txt' })
      assert.equal(text(raw.stdout), 'content')
      assert.equal(raw.command, `cat ${join(root, 'a.txt')}`)
    })

    test('keeps the slash at its end, which tells a folder from a link to it', async () => {
      mkdirSync(join(root, 'real'))
      const manifest = { exec: ['printf', '%s', '{file}'], args: '[args.file]\ntype = "path"\nrequired = true' }
      assert.equal(text((await run(manifest, { file: 'real/' })).stdout), `${join(root, 'real')}/`)
      assert.equal(text((await run(manifest, { file: '.' })).stdout), root)
    })

    test('is refused in the order of the arguments, once each', async () => {
      symlinkSync('/', join(root, 'out'))
      const args = ['a', 'b'].map(name => `[args.${name}]\ntype = "path"\nrequired = true`).join('\n')
      const resolution = await resolve({ exec: ['cat', '{b}', '{a}', '{b}'], args }, { b: 'out/x', a: 'out/y' })
      assert.ok(resolution.status === 'refused')
      assert.deepEqual(
        resolution.refusals.map(({ argument, fence }) => [argument, fence]),
        [
          ['a', 'outside_root'],
          ['b', 'outside_root'],
        ],
      )
    })

    test('may not leave the root through a link, to a file, a folder, or to where nothing is yet', async () => {
      const outside = join(root, '..', 'outside')
      mkdirSync(outside)
      writeFileSync(join(outside, 'secret'), 'x')
      symlinkSync(join(outside, 'secret'), join(root, 'file'))
      symlinkSync(outside, join(root, 'folder'))
      symlinkSync(join(outside, 'later'), join(root, 'dangling'))
      symlinkSync('circle', join(root, 'circle'))
      for (const file of ['file', 'folder/secret', 'folder', 'folder/new/deep', 'dangling', 'circle'])
        assert.equal(await refusal(file), 'outside_root', file)
      assert.equal(await refusal('not/there/yet'), 'ready')
    })

    test('may not lead into a hidden folder by another name', async () => {
      mkdirSync(join(root, '.git'))
      symlinkSync('.git', join(root, 'docs'))
      assert.equal(await refusal('docs/config'), 'hidden')
    })

    test('may pass a link that stays inside', async () => {
      mkdirSync(join(root, 'real'))
      writeFileSync(join(root, 'real', 'a'), '1')
      symlinkSync('real', join(root, 'alias'))
      assert.equal(text((await run(cat, { file: 'alias/a' })).stdout), '1')
    })

    test('may not name what belongs to the gateway, not even through a link', async () => {
      mkdirSync(join(root, 'state'))
      symlinkSync('state', join(root, 'innocent'))
      const reserved = [join(root, 'state'), join(root, 'sallyport.yaml')]
      for (const file of ['state', 'state/token', 'innocent/token', 'sallyport.yaml'])
        assert.equal(await refusal(file, reserved), 'reserved_file', file)
      assert.equal(await refusal('statement', reserved), 'ready')
    })
  })

  describe('the program', () => {
    test('that is missing is a warning at load and a failed run, not a crash', async () => {
      const { callable, codes } = await prepared({ exec: ['no-such-program-here'] })
      assert.deepEqual(codes, ['warning program_missing /command/exec/0'])
      const resolution = await callable.resolve({}, { lookups: true, signal: new AbortController().signal })
      assert.ok(resolution.status === 'ready')
      const raw = processOf(await resolution.ready.run(context()))
      assert.deepEqual([raw.ended, raw.exitCode, raw.error?.code], ['failed', -1, 'program_missing'])
    })

    test('that is a link to a shell is refused at load, and at the run when it became one later', async () => {
      const program = join(root, 'innocent')
      symlinkSync('/bin/sh', program)
      const { codes } = await prepared({ exec: [program, '-c', 'id'] })
      assert.deepEqual(codes, ['error interpreter /command/exec/0'])
      rmSync(program)
      symlinkSync('/bin/true', program)
      const { callable } = await prepared({ exec: [program] })
      const status = async (): Promise<string> =>
        (await callable.resolve({}, { lookups: true, signal: new AbortController().signal })).status
      assert.equal(await status(), 'ready')
      rmSync(program)
      symlinkSync('/bin/sh', program)
      assert.equal(await status(), 'denied')
    })

    test('that is text without an interpreter line is not handed to a shell', async () => {
      const program = join(root, 'notes')
      writeFileSync(program, 'echo from a shell')
      chmodSync(program, 0o755)
      const raw = await run({ exec: [program] })
      assert.deepEqual([raw.ended, raw.error?.code, text(raw.stdout)], ['failed', 'program_missing', ''])
    })
  })

  describe('a run', () => {
    test('that times out keeps what was written and ends its whole group', async () => {
      const raw = await run(shell('echo partial; (trap "" TERM; sleep 987) & sleep 987', 'timeout_seconds = 1'))
      assert.deepEqual([raw.ended, raw.exitCode, text(raw.stdout)], ['timeout', -1, 'partial\n'])
    })

    test('that is cancelled says so', async () => {
      const stop = new AbortController()
      const running = run(shell('sleep 987'), {}, context(stop.signal))
      setTimeout(() => stop.abort(), 50)
      assert.equal((await running).ended, 'cancelled')
    })

    test('is capped, and says so', async () => {
      const raw = await run({ exec: ['seq', '100000'], output: 'max_bytes = 10' })
      assert.deepEqual([text(raw.stdout), raw.truncated, raw.exitCode], ['1\n2\n3\n4\n5\n', true, 0])
    })

    test('that takes longer than a second reports progress', async () => {
      const seen: string[] = []
      await run(
        shell('sleep 1.2'),
        {},
        context(undefined, ({ message }) => seen.push(message)),
      )
      assert.deepEqual(seen, ['t has been running for 1 s'])
    })

    test('whose listener to progress fails goes on', async () => {
      const fails = (): void => {
        throw new Error('a mistake of the listener')
      }
      const raw = await run(shell('sleep 1.2; echo done'), {}, context(undefined, fails))
      assert.equal(text(raw.stdout), 'done\n')
    })

    test('that gets no scratch folder is a failed run, not a crash', async () => {
      const tool = place.load({ exec: ['true'] })
      const body = `
        import { command } from '${join(import.meta.dirname, 'index.ts')}'
        import { openSpawner } from '${join(import.meta.dirname, '../../io/spawn.ts')}'
        import { systemClock as clock, systemIds as ids } from '${join(import.meta.dirname, '../../io/system.ts')}'
        const logger = { warn: console.error }
        const spawner = openSpawner({ clock, logger })
        const tool = { ...${JSON.stringify(tool)}, locate: () => ({ line: 1, column: 1 }) }
        const backend = command.open({ spawner, clock, ids, logger, environment: {}, evidenceRoot: '${evidenceRoot}',
          reserved: [], allowHidden: false, isInterpreter: () => false })
        const signal = new AbortController().signal
        const { callable } = await backend.prepare(tool)
        const { ready } = await callable.resolve({}, { lookups: true, signal })
        const { ended, exitCode, error } = await ready.run({ signal, clock, progress: () => {} })
        console.log(JSON.stringify([ended, exitCode, error.code]))
        await spawner.close()`
      const env = { TMPDIR: join(root, 'nowhere') }
      const shown = execFileSync(process.execPath, ['--input-type=module', '-e', body], { env, encoding: 'utf8' })
      assert.deepEqual(JSON.parse(shown), ['failed', -1, 'spawn_failed'])
    })

    test('leaves no scratch folder, though it made one that is hard to remove', async () => {
      const raw = await run(shell('mkdir -p a/b; touch a/b/c; chmod 000 a/b a; pwd'))
      assert.throws(() => statSync(text(raw.stdout).trim()), { code: 'ENOENT' })
    })
  })

  describe('evidence', () => {
    test('holds the raw bytes, owner-only, under the scan id', async () => {
      const raw = await run(shell(String.raw`printf '\377\000x'`))
      const file = join(evidenceRoot, `${raw.scanId}-t.txt`)
      assert.equal(raw.outputFile, file)
      assert.deepEqual([...readFileSync(file)], [255, 0, 120])
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.equal(statSync(evidenceRoot).mode & 0o777, 0o700)
      assert.match(raw.scanId, /^\d{10}-[0-9a-f]{8,}$/)
    })

    test('is not kept where the manifest says so', async () => {
      const raw = await run(shell('echo x', '[tool.evidence]\ncapture = false'))
      assert.equal(raw.outputFile, undefined)
      assert.throws(() => readdirSync(evidenceRoot), { code: 'ENOENT' })
    })

    test('goes where output_dir says, inside the root', async () => {
      const raw = await run(shell('echo x', '[tool.evidence]\noutput_dir = "{evidence_dir}/scans/{scan_id}"'))
      assert.equal(raw.outputFile, join(evidenceRoot, 'scans', raw.scanId, `${raw.scanId}-t.txt`))
    })

    const unsafe: Readonly<Record<string, () => void>> = {
      'a link': () => symlinkSync(tmpdir(), evidenceRoot),
      'writable by the group': () => {
        mkdirSync(evidenceRoot)
        chmodSync(evidenceRoot, 0o770)
      },
      'a file': () => writeFileSync(evidenceRoot, ''),
      "somebody else's": () => {
        mkdirSync(evidenceRoot)
        chownSync(evidenceRoot, 65_534, 65_534)
      },
    }
    for (const [name, make] of Object.entries(unsafe)) {
      const skip = name === "somebody else's" && process.getuid?.() !== 0 ? 'only root can give a folder away' : false
      test(`whose root is ${name}: nothing runs`, { skip }, async () => {
        make()
        const mark = join(root, 'ran')
        const raw = await run(shell(`touch ${mark}`))
        assert.deepEqual([raw.ended, raw.error?.code], ['failed', 'evidence_unavailable'])
        assert.throws(() => statSync(mark), { code: 'ENOENT' })
      })
    }
  })

  test('200 calls at once leave no process, no descriptor and no scratch folder', async () => {
    await run(shell('true'))
    const descriptors = readdirSync('/proc/self/fd').length
    // Only their own folders: another gateway of this machine has some too.
    const ended = await Promise.all(Array.from({ length: 200 }, () => run(shell('sleep 0.01 & pwd'))))
    const scratch = ended.map(({ stdout }) => Buffer.from(stdout).toString().trim())
    assert.equal(new Set(scratch).size, 200)
    assert.equal(readdirSync('/proc/self/fd').length, descriptors)
    assert.equal(readdirSync(evidenceRoot).length, 201)
    assert.deepEqual(
      scratch.filter(folder => existsSync(folder)),
      [],
    )
    assert.equal(execFileSync('sh', ['-c', 'pgrep -fc "^sleep 0.01" || true'], { encoding: 'utf8' }).trim(), '0')
  })
})
