import assert from 'node:assert/strict'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { until } from '../../test/helpers/processes.ts'
import type { Clock, Logger } from '../core/ports.ts'
import { openRetention } from './evidence-retention.ts'
import { systemClock } from './system.ts'

const base = mkdtempSync(join(tmpdir(), 'retention-test-'))
const DAY = 86_400_000
const NOW = 1_800_000_000_000
const OLD = `${NOW / 1000 - 200_000}-0123456789ab`
const YOUNG = `${NOW / 1000 - 20_000}-0123456789ab`

describe('retention of evidence', () => {
  after(() => rmSync(base, { recursive: true }))

  /** Looks once, and gives the warnings. */
  async function look(root: string): Promise<readonly string[]> {
    const warnings: string[] = []
    const silent = (): void => {}
    const logger: Logger = { debug: silent, info: silent, error: silent, warn: message => warnings.push(message) }
    const waiting = Promise.withResolvers<undefined>()
    const timer = (): (() => void) => {
      waiting.resolve(undefined)
      return silent
    }
    const clock: Clock = { ...systemClock, now: () => NOW, timer }
    const retention = openRetention({ root, maxAgeMs: DAY, clock, logger })
    await waiting.promise
    await retention.close()
    return warnings
  }

  test('removes old files of our naming and the folders of old runs, and nothing else', async () => {
    const root = join(base, 'evidence')
    const outside = join(base, 'outside')
    for (const folder of [root, outside, join(root, 'scans'), join(root, 'scans', OLD), join(root, OLD)])
      mkdirSync(folder, { mode: 0o700 })
    const gone = [`${OLD}-nmap.xml`, `${OLD}-nmap.stdout.txt`, `scans/${OLD}/${OLD}-nmap.txt`]
    const kept = [`${YOUNG}-nmap.xml`, 'notes.txt', `${OLD}.txt`, `x${OLD}-nmap.xml`, `${OLD}/mine`]
    for (const file of [...gone, ...kept]) writeFileSync(join(root, file), '')
    writeFileSync(join(outside, `${OLD}-nmap.xml`), '')
    symlinkSync(outside, join(root, 'link'))
    symlinkSync(join(outside, `${OLD}-nmap.xml`), join(root, `${OLD}-link.xml`))
    assert.deepEqual(await look(root), [])
    assert.deepEqual(
      [...gone, `scans/${OLD}`].filter(file => existsSync(join(root, file))),
      [],
    )
    assert.deepEqual(
      kept.filter(file => !existsSync(join(root, file))),
      [],
    )
    assert.ok(existsSync(join(outside, `${OLD}-nmap.xml`)))
    assert.ok(existsSync(join(root, 'scans')))
  })

  test('leaves a root alone that is a link, or that others may write to', async () => {
    const open = join(base, 'open')
    mkdirSync(open)
    writeFileSync(join(open, `${OLD}-t.txt`), '')
    symlinkSync(open, join(base, 'root-link'))
    assert.equal((await look(join(base, 'root-link'))).length, 1)
    chmodSync(open, 0o777)
    assert.equal((await look(open)).length, 1)
    assert.ok(existsSync(join(open, `${OLD}-t.txt`)))
  })

  test('is not stopped by a folder that others may write to, nor by what is not ours', async () => {
    const root = join(base, 'mixed')
    mkdirSync(root, { mode: 0o700 })
    for (const folder of ['a-open', 'z-private']) mkdirSync(join(root, folder), { mode: 0o700 })
    const files = ['a-open', 'z-private'].map(folder => join(root, folder, `${OLD}-t.txt`))
    const foreign = join(root, `${OLD}-foreign.txt`)
    for (const file of [...files, foreign]) writeFileSync(file, '')
    chmodSync(join(root, 'a-open'), 0o777)
    const isRoot = process.getuid?.() === 0
    if (isRoot) chownSync(foreign, 65_534, 65_534)
    assert.equal((await look(root)).length, 1)
    assert.deepEqual(
      [...files, foreign].map(file => existsSync(file)),
      [true, false, isRoot],
    )
  })

  test('comes back every hour, and ends when it is closed', async () => {
    const root = join(base, 'again')
    mkdirSync(root, { mode: 0o700 })
    const looks: (() => void)[] = []
    const cancelled: number[] = []
    const timer: Clock['timer'] = (ms, run) => {
      assert.equal(ms, 3_600_000)
      looks.push(run)
      return () => void cancelled.push(looks.length)
    }
    const logger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
    const retention = openRetention({ root, maxAgeMs: DAY, clock: { ...systemClock, now: () => NOW, timer }, logger })
    await until('it has looked', () => looks.length === 1)
    writeFileSync(join(root, `${OLD}-t.txt`), '')
    looks[0]?.()
    await until('it has looked again', () => looks.length === 2)
    assert.equal(existsSync(join(root, `${OLD}-t.txt`)), false)
    await Promise.all([retention.close(), retention.close()])
    assert.ok(cancelled.length > 0)
  })

  test('makes no root where nothing has run yet', async () => {
    assert.deepEqual(await look(join(base, 'never')), [])
    assert.equal(existsSync(join(base, 'never')), false)
  })
})
