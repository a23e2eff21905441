// Real processes that write one store: what a kill leaves, and that two at once do not disturb each other.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { makeAudit } from '../../test/helpers/audit.ts'
import type { TestAudit } from '../../test/helpers/audit.ts'

const SOURCE = join(import.meta.dirname, '..')

/** Runs `body` in a process of its own, with an `audit` over the same store, `start(n)` and `end(n)`; it ends with this one. */
function spawnWriter({ database, folder }: TestAudit, body: string): ChildProcess {
  const script = `
    process.stdin.once('end', () => process.exit(1)).resume()
    import { openAudit } from '${SOURCE}/audit/audit.ts'
    import { processIdentity } from '${SOURCE}/io/process.ts'
    import { systemClock, systemIds } from '${SOURCE}/io/system.ts'
    import { openHeads } from '${SOURCE}/storage/heads.ts'
    import { openSqliteStore } from '${SOURCE}/storage/sqlite/store.ts'
    const store = openSqliteStore({ file: '${database}', durability: 'normal' })
    const heads = openHeads('${join(folder, 'heads')}')
    const logger = { debug() {}, info() {}, warn() {}, error: console.error }
    const audit = openAudit({ store, heads, clock: systemClock, ids: systemIds, logger, process: await processIdentity() })
    const call = n => ({ id: process.pid + '-' + n, principal: 'local', tool: 'greet' })
    const start = n => audit.started({ ...call(n), args: { n } })
    const end = n => audit.finished({ ...call(n), steps: [], outcome: 'ok', durationMs: 1 })
    ${body}`
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
}

async function line(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout)
  const [chunk] = await once(child.stdout, 'data')
  return String(chunk)
}

describe('processes', () => {
  let made: TestAudit
  let children: ChildProcess[] = []
  beforeEach(() => {
    made = makeAudit()
  })
  afterEach(async () => {
    // Those of a test that failed.
    for (const child of children) child.kill('SIGKILL')
    children = []
    await made.dispose()
  })

  function writer(body: string): ChildProcess {
    const child = spawnWriter(made, body)
    children.push(child)
    return child
  }

  test('kill -9 in the middle of calls: the chain verifies, what ran is unknown, what had ended has', async () => {
    const child = writer(
      `await start(1); await start(2); await start(3); end(2)
       await start(4) // the end of 2 is in the same commit
       console.log('running')
       setInterval(() => {}, 1000)`,
    )
    const exited = once(child, 'exit')
    await line(child)
    const outcomes = async () => (await made.calls()).map(({ id, outcome }) => [id.split('-')[1], outcome])
    const running = [
      ['1', 'running'],
      ['2', 'ok'],
      ['3', 'running'],
      ['4', 'running'],
    ]
    assert.deepEqual(await outcomes(), running)
    assert.equal((await made.reader.show(`${child.pid}-1`))?.outcome, 'running')
    child.kill('SIGKILL')
    await exited
    assert.deepEqual(
      await outcomes(),
      running.map(([id, outcome]) => [id, outcome === 'running' ? 'unknown' : outcome]),
    )
    assert.equal((await made.reader.show(`${child.pid}-1`))?.outcome, 'unknown')
    assert.deepEqual(await made.reader.verify(), { ok: true, writers: 1, records: 5, problems: [] })
  })

  test('kill -9 at any moment of a busy writer: what was answered is there, and the chain verifies', async () => {
    for (let round = 0; round < 5; round++) {
      const child = writer(
        `let n = 0
         const caller = async () => { for (;;) { const mine = n++; await start(mine); end(mine); process.stdout.write(mine + '\\n') } }
         for (let i = 0; i < 16; i++) void caller()`,
      )
      const exited = once(child, 'exit')
      let printed = ''
      child.stdout?.setEncoding('utf8').on('data', chunk => {
        printed += String(chunk)
        if (printed.length > 500 * (round + 1)) child.kill('SIGKILL')
      })
      assert.deepEqual(await exited, [null, 'SIGKILL'])
      const answered = printed.slice(0, printed.lastIndexOf('\n')).split('\n')
      const recorded = new Set((await made.calls()).map(({ id }) => id))
      const missing = answered.filter(n => !recorded.has(`${child.pid}-${n}`))
      assert.deepEqual(missing, [])
    }
    const { writers, problems } = await made.reader.verify()
    assert.deepEqual({ writers, problems }, { writers: 5, problems: [] })
  })

  test('two processes write at once, 500 rows each: nothing is lost, both chains verify', async () => {
    const body = `
      process.stdin.once('data', async () => {
        for (let n = 0; n < 250; n += 10) {
          const ids = Array.from({ length: 10 }, (_, i) => n + i)
          await Promise.all(ids.map(start))
          ids.forEach(end)
        }
        await audit.close()
        await store.close()
        process.exit()
      })
      console.log('ready')`
    const both = [writer(body), writer(body)]
    const exits = both.map(child => once(child, 'exit'))
    await Promise.all(both.map(line))
    for (const child of both) child.stdin?.write('go\n')
    assert.deepEqual(
      (await Promise.all(exits)).map(([code]) => code),
      [0, 0],
    )
    const calls = await made.calls()
    assert.equal(calls.length, 500)
    assert.ok(calls.every(({ outcome }) => outcome === 'ok'))
    assert.deepEqual(await made.reader.verify(), { ok: true, writers: 2, records: 1000, problems: [] })
  })

  test('a chain verifies while it is being written', async () => {
    const child = writer(
      `let n = 0
       const caller = async () => { for (;;) { const mine = n++; await start(mine); end(mine) } }
       for (let i = 0; i < 4; i++) void caller()
       console.log('busy')`,
    )
    const exited = once(child, 'exit')
    await line(child)
    for (let round = 0; round < 10; round++) assert.deepEqual((await made.reader.verify()).problems, [])
    child.kill('SIGKILL')
    await exited
    assert.deepEqual((await made.reader.verify()).problems, [])
  })
})
