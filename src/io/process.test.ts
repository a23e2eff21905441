import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { isAlive, processIdentity } from './process.ts'

const skip = existsSync('/proc/self/stat') ? false : 'needs /proc'

test('this process is alive', async () => {
  const me = await processIdentity()
  assert.equal(me.pid, process.pid)
  assert.equal(await isAlive(me), true)
})

for (const { name, other } of [
  { name: 'started at another time', other: { processStart: '1' } },
  { name: 'of another boot', other: { bootId: '00000000-0000-0000-0000-000000000000' } },
  { name: 'with a pid that nobody has', other: { pid: 2 ** 30 } },
  { name: 'with pid 0, which would mean a group', other: { pid: 0 } },
  { name: 'with a negative pid', other: { pid: -1 } },
])
  test(`a process ${name} is not`, { skip }, async () => {
    assert.equal(await isAlive({ ...(await processIdentity()), ...other }), false)
  })

test('without a known start the pid alone tells', async () => {
  const me = { ...(await processIdentity()), processStart: 'unknown' }
  assert.equal(await isAlive(me), true)
  assert.equal(await isAlive({ ...me, pid: 2 ** 30 }), false)
})

test('a process that was killed is not alive, though nobody has waited for it yet', { skip }, async () => {
  const { bootId } = await processIdentity()
  // The shell becomes a program that never waits for the child it inherits.
  const parent = spawn('sh', ['-c', 'sleep 300 & echo $!; exec sleep 300'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(parent, 'exit')
  try {
    const [line] = await once(parent.stdout, 'data')
    const pid = Number(line)
    const identity = { pid, processStart: statOf(pid)[19] ?? '', bootId }
    assert.equal(await isAlive(identity), true)
    process.kill(pid, 'SIGKILL')
    while (statOf(pid)[0] !== 'Z') await setImmediate()
    assert.equal(await isAlive(identity), false)
  } finally {
    parent.kill('SIGKILL')
    await exited
  }
})

function statOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
