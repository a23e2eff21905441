import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createLogger } from './log.ts'
import { openSpawner } from './spawn.ts'
import type { SpawnRequest } from './spawn.ts'
import { systemClock } from './system.ts'

const logger = createLogger({ write: () => undefined, level: 'error', clock: systemClock })
const spawner = openSpawner({ clock: systemClock, logger, killGraceMs: 200 })
const folder = mkdtempSync(join(tmpdir(), 'spawn-test-'))
describe('spawn', () => {
  after(async () => {
    await spawner.close()
    rmSync(folder, { recursive: true })
  })

  /** A run may take its limit, the grace period and half a second; the machine that tests may be slow on top. */
  const SLACK = 4_000

  function request(file: string, args: readonly string[], more: Partial<SpawnRequest> = {}): SpawnRequest {
    const signal = new AbortController().signal
    const base = { file, argv0: file, args, cwd: folder, env: { PATH: '/usr/bin:/bin' }, signal }
    return { ...base, timeoutMs: 20_000, maxBytes: 1_000_000, ...more }
  }

  const sh = (script: string, more: Partial<SpawnRequest> = {}) =>
    spawner.run(request('/bin/sh', ['-c', script, 'sh'], more))
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

  /** Processes whose command line holds the mark, zombies left out. */
  function alive(mark: string): readonly string[] {
    return readdirSync('/proc').filter(pid => {
      if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(mark)) return false
        return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
      } catch {
        return false // it ended while we looked
      }
    })
  }

  async function until(condition: () => boolean): Promise<void> {
    const limit = Date.now() + 10_000
    while (!condition()) {
      assert.ok(Date.now() < limit, 'it never came about')
      await systemClock.sleep(10)
    }
  }

  /** A number of seconds that no other process sleeps for. */
  let marks = 0
  const uniqueSleep = () => `sleep 3${process.pid}.${Date.now() % 100_000}${marks++}`

  describe('a program that behaves', () => {
    test('its output, its exit code and nothing else', async () => {
      const result = await sh('printf out; printf err >&2; exit 7')
      assert.deepEqual(
        { ...result, stdout: text(result.stdout), stderr: text(result.stderr), durationMs: 0 },
        { ended: 'exited', exitCode: 7, stdout: 'out', stderr: 'err', truncated: false, durationMs: 0 },
      )
    })

    test('arguments arrive byte for byte', async () => {
      const odd = [
        '',
        ' ',
        '-x',
        '--',
        'a\'b"c',
        'new\nline',
        'tab\t',
        'ünï→💥',
        '$HOME',
        '`id`',
        '*',
        '\\',
        '%s',
        '\u0001',
      ]
      const { stdout } = await spawner.run(request('/usr/bin/printf', [String.raw`%s\0`, ...odd]))
      assert.deepEqual(text(stdout).split('\0').slice(0, -1), odd)
    })

    test('argv[0] is as asked', async () => {
      const { stdout } = await spawner.run(request('/bin/sh', ['-c', 'cat /proc/$$/cmdline'], { argv0: 'other' }))
      assert.equal(text(stdout).split('\0')[0], 'other')
    })

    test('the environment is the given one alone', async () => {
      const { stdout } = await spawner.run(request('/usr/bin/env', [], { env: { A: '1', PATH: '/bin' } }))
      assert.deepEqual(text(stdout).trim().split('\n').toSorted(), ['A=1', 'PATH=/bin'])
    })

    test('the environment is the given one alone, even where Node adds its own', () => {
      const body = `
        import { openSpawner } from '${join(import.meta.dirname, 'spawn.ts')}'
        import { systemClock as clock } from '${join(import.meta.dirname, 'system.ts')}'
        const spawner = openSpawner({ clock, logger: { warn: console.error } })
        const { stdout } = await spawner.run({ file: '/usr/bin/env', argv0: 'env', args: [], cwd: '/', env: { A: '1' },
          signal: new AbortController().signal, timeoutMs: 20_000, maxBytes: 1000 })
        console.log(Buffer.from(stdout).toString())
        await spawner.close()`
      const env = { NODE_V8_COVERAGE: join(folder, 'coverage'), NODE_OPTIONS: '--no-warnings', SECRET: 'x' }
      const shown = execFileSync(process.execPath, ['--input-type=module', '-e', body], { env, encoding: 'utf8' })
      assert.equal(shown.trim(), 'A=1')
    })

    test('stdin is /dev/null, and no descriptor of this process is inherited', async () => {
      const held = openSync('/dev/null', 'r')
      const { stdout } = await sh('readlink /proc/$$/fd/0; ls /proc/$$/fd')
      closeSync(held)
      const [stdin, ...descriptors] = text(stdout).trim().split('\n')
      assert.equal(stdin, '/dev/null')
      // Those that whoever started the tests left open for every descendant are not ours to close.
      const foreign = execFileSync('/bin/sh', ['-c', 'ls /proc/$$/fd'], { stdio: ['ignore', 'pipe', 'ignore'] })
      assert.deepEqual(descriptors, text(foreign).trim().split('\n'))
    })

    test('it leads a process group of its own', async () => {
      const { stdout } = await sh('cut -d" " -f1,5 /proc/$$/stat')
      const [pid, group] = text(stdout).trim().split(' ')
      assert.equal(pid, group)
    })

    test('output of exactly the cap is not truncated, one byte more is', async () => {
      const exact = await sh('printf 12345678', { maxBytes: 8 })
      assert.deepEqual([text(exact.stdout), exact.truncated], ['12345678', false])
      const over = await sh('printf 123456789; printf ok >&2', { maxBytes: 8 })
      assert.deepEqual([text(over.stdout), text(over.stderr), over.truncated], ['12345678', 'ok', true])
    })

    test('bytes are not text: invalid UTF-8 and NUL come through', async () => {
      const { stdout } = await sh(String.raw`printf '\377\000\376'`)
      assert.deepEqual([...stdout], [255, 0, 254])
    })

    test('death by a signal is 128 and its number', async () => {
      for (const [signal, code] of [
        ['KILL', 137],
        ['SEGV', 139],
        ['TERM', 143],
      ] as const) {
        const result = await sh(`kill -s ${signal} $$`)
        assert.deepEqual([result.ended, result.exitCode], ['exited', code])
      }
    })
  })

  describe('a program that cannot be started', () => {
    for (const { name, more } of [
      { name: 'is not there', more: { file: '/nonexistent/program' } },
      { name: 'may not be executed', more: { file: '/etc/passwd' } },
      { name: 'has no working directory', more: { cwd: '/nonexistent' } },
      { name: 'has too many arguments', more: { args: ['x'.repeat(4_000_000)] } },
      { name: 'has a NUL in an argument', more: { args: ['a\0b'] } },
    ])
      test(name, async () => {
        const result = await spawner.run(request('/bin/true', [], more))
        assert.deepEqual([result.ended, result.exitCode, result.error?.code], ['failed', -1, 'spawn_failed'])
        assert.match(result.error?.message ?? '', /could not be started/)
      })
  })

  describe('a program that does not want to end', () => {
    const cases = [
      { name: 'ignores SIGTERM', script: (s: string) => `trap '' TERM; echo partial; ${s}; ${s}; ${s}` },
      {
        name: 'waits for a child that ignores SIGTERM',
        script: (s: string) => `(trap '' TERM; ${s}) & echo partial; wait`,
      },
      { name: 'closes its output and lingers', script: (s: string) => `echo partial; exec >&- 2>&-; ${s}` },
      { name: 'stops itself', script: (s: string) => `echo partial; kill -s STOP $$; ${s}` },
      { name: 'forks on SIGTERM', script: (s: string) => `trap '${s} & ${s}' TERM; echo partial; ${s} & wait; ${s}` },
      { name: 'simply sleeps', script: (s: string) => `echo partial; exec ${s}` },
    ]
    for (const { name, script } of cases)
      test(`${name}: timeout`, async () => {
        const mark = uniqueSleep()
        const begun = Date.now()
        const result = await sh(script(mark), { timeoutMs: 400 })
        assert.ok(Date.now() - begun < 400 + 200 + 500 + SLACK)
        assert.deepEqual([result.ended, result.exitCode, text(result.stdout)], ['timeout', -1, 'partial\n'])
        assert.deepEqual(alive(mark), [])
      })

    test('cancelled', async () => {
      const mark = uniqueSleep()
      const caller = new AbortController()
      const result = sh(`trap '' TERM; ${mark}; ${mark}`, { signal: caller.signal })
      await until(() => alive(mark).length > 0)
      caller.abort()
      const { ended, exitCode } = await result
      assert.deepEqual([ended, exitCode, alive(mark)], ['cancelled', -1, []])
    })

    test('cancelled before it began: nothing is started', async () => {
      const { ended } = await sh('echo > ran', { signal: AbortSignal.abort() })
      assert.deepEqual([ended, existsSync(join(folder, 'ran'))], ['cancelled', false])
    })

    test('the grace period ends early when the whole group is gone', async () => {
      const patient = openSpawner({ clock: systemClock, logger, killGraceMs: 60_000 })
      const mark = uniqueSleep()
      const { ended } = await patient.run(request('/bin/sh', ['-c', `${mark} & ${mark}`], { timeoutMs: 200 }))
      assert.deepEqual([ended, alive(mark)], ['timeout', []])
      await patient.close()
    })

    test('a program may finish its work within the grace period', async () => {
      const patient = openSpawner({ clock: systemClock, logger, killGraceMs: 10_000 })
      const script = `trap 'sleep 0.2; echo done; exit' TERM; echo begun; while :; do sleep 0.05; done`
      const { stdout } = await patient.run(request('/bin/sh', ['-c', script], { timeoutMs: 300 }))
      assert.equal(text(stdout), 'begun\ndone\n')
      await patient.close()
    })
  })

  describe('what a program leaves behind', () => {
    test('a child that holds the output is not waited for, and ended', async () => {
      const mark = uniqueSleep()
      const begun = Date.now()
      const result = await sh(`(trap '' TERM HUP; ${mark}) & echo done`)
      assert.ok(Date.now() - begun < 500 + SLACK)
      assert.deepEqual([result.ended, result.exitCode, text(result.stdout)], ['exited', 0, 'done\n'])
      await until(() => alive(mark).length === 0)
    })

    test('a daemon that left the group does not hold the call', async () => {
      const mark = uniqueSleep()
      // It has left the group for sure when its session is its own.
      const result = await sh(`setsid ${mark} & until [ "$(cut -d' ' -f6 /proc/$!/stat)" = $! ]; do :; done`)
      assert.equal(result.ended, 'exited')
      const daemons = alive(mark)
      for (const pid of daemons) process.kill(Number(pid), 'SIGKILL')
      assert.equal(daemons.length, 1)
    })

    test('output written just before the end is there, however busy this process is', async () => {
      const result = sh('head -c 150000 /dev/zero')
      await systemClock.sleep(5)
      const block = Date.now() + 400
      while (Date.now() < block);
      assert.equal((await result).stdout.length, 150_000)
    })
  })

  describe('a flood', () => {
    test('on both streams is drained, capped, and does not fill memory', async () => {
      const before = process.memoryUsage().rss
      let peak = before
      const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5)
      const flood = 'head -c 200000000 /dev/zero'
      const result = await sh(`${flood} >&2 & ${flood}; wait; echo end >&2`, { maxBytes: 100_000 })
      clearInterval(watch)
      assert.deepEqual([result.ended, result.exitCode, result.truncated], ['exited', 0, true])
      assert.deepEqual([result.stdout.length, result.stderr.length], [100_000, 100_000])
      assert.ok(peak - before < 150_000_000, `grew by ${peak - before}`)
    })

    test('byte by byte costs no more than its bytes', async () => {
      const result = await sh('i=0; while [ $i -lt 3000 ]; do printf x; i=$((i+1)); done')
      assert.equal(text(result.stdout), 'x'.repeat(3000))
    })

    test('without end is ended by the time limit', async () => {
      const result = await sh('exec yes', { timeoutMs: 300, maxBytes: 1000 })
      assert.deepEqual([result.ended, result.stdout.length, result.truncated], ['timeout', 1000, true])
    })
  })

  describe('many at once', () => {
    test('200 leave no process and no descriptor', async () => {
      await sh('exit')
      const descriptors = () => readdirSync('/proc/self/fd').length
      const before = descriptors()
      const mark = uniqueSleep()
      const results = await Promise.all(
        Array.from({ length: 200 }, (_, n) => sh(n % 4 === 0 ? `${mark} & echo ${n}` : `echo ${n}`)),
      )
      assert.deepEqual(
        results.map(r => text(r.stdout).trim()),
        results.map((_, n) => String(n)),
      )
      await until(() => alive(mark).length === 0 && descriptors() <= before)
    })
  })

  describe('close', () => {
    test('ends what runs, refuses what comes, may be called twice', async () => {
      const closing = openSpawner({ clock: systemClock, logger, killGraceMs: 100 })
      const mark = uniqueSleep()
      const running = closing.run(request('/bin/sh', ['-c', `trap '' TERM; ${mark}; ${mark}`]))
      await until(() => alive(mark).length > 0)
      await Promise.all([closing.close(), closing.close()])
      assert.deepEqual([(await running).ended, alive(mark)], ['cancelled', []])
      const late = await closing.run(request('/bin/true', []))
      assert.deepEqual([late.ended, late.error?.code], ['failed', 'closed'])
      await closing.close()
    })

    test('before anything ran starts nothing', async () => {
      const idle = openSpawner({ clock: systemClock, logger })
      await idle.close()
    })
  })

  describe('the reaper', () => {
    const program = (body: string) => `
    import { mkdtempSync } from 'node:fs'
    import { openSpawner } from '${join(import.meta.dirname, 'spawn.ts')}'
    import { systemClock as clock } from '${join(import.meta.dirname, 'system.ts')}'
    const log = () => undefined
    const spawner = openSpawner({ clock, logger: { debug: log, info: log, warn: log, error: log } })
    const run = (script, timeoutMs = 60_000) => spawner.run({ file: '/bin/sh', argv0: 'sh', args: ['-c', script], ownsCwd: true,
      cwd: mkdtempSync('${folder}/own-'),
      env: { PATH: '/usr/bin:/bin' }, signal: new AbortController().signal, timeoutMs, maxBytes: 1000 })
    ${body}`
    const gateway = (body: string) =>
      spawn(process.execPath, ['--input-type=module', '-e', program(body)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const reaperOf = (pid: number | undefined) =>
      alive('sallyport-reaper').find(
        p => readFileSync(`/proc/${p}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(pid),
      )

    test('ends the groups of a gateway that was killed', async () => {
      const mark = uniqueSleep()
      const child = gateway(`run("trap '' TERM HUP; ${mark} & ${mark}"); run('exit')`)
      await until(() => alive(mark).length >= 2)
      child.kill('SIGKILL')
      await until(() => alive(mark).length === 0)
    })

    test('that died is replaced, and knows what runs', async () => {
      const mark = uniqueSleep()
      const child = gateway(`run("${mark} & ${mark}")`)
      await until(() => alive(mark).length >= 2 && reaperOf(child.pid) !== undefined)
      const first = reaperOf(child.pid)
      process.kill(Number(first), 'SIGKILL')
      await until(() => ![undefined, first].includes(reaperOf(child.pid)))
      child.kill('SIGKILL')
      await until(() => alive(mark).length === 0)
    })

    test('does not keep a gateway from ending, and ends with it', async () => {
      const child = gateway(`const { stdout } = await run('echo ran'); console.log(Buffer.from(stdout).toString())`)
      const [code] = await once(child, 'exit')
      assert.equal(code, 0)
      await until(() => reaperOf(child.pid) === undefined)
    })
  })
})
