// A program and its child that do not want to end, in every combination of who outlives whom and who holds the output: the
// call ends within its time, and nothing of the group is left (ToolClad spec, Process group isolation).
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { SILENT } from '../../test/helpers/gateway.ts'
import { processesWith, until } from '../../test/helpers/processes.ts'
import { openSpawner } from './spawn.ts'
import { systemClock } from './system.ts'

describe('a family', { concurrency: 16, skip: process.platform === 'linux' ? false : 'reads /proc' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'family-test-'))
  const GRACE = 200
  /** Of those that linger; time enough to begin on a machine that tests a lot at once. The others end by themselves. */
  const LIMIT = 1_500
  const NEVER = 60_000
  /** The family would live for twice as long; a call that waits for it is found out. */
  const LIFE = 40_000
  const spawner = openSpawner({ clock: systemClock, logger: SILENT, killGraceMs: GRACE })
  after(async () => {
    await spawner.close()
    rmSync(folder, { recursive: true })
  })

  let marks = 0
  const ignoring = ["trap '' TERM HUP INT; ", ''] as const
  const closed = ['exec >&- 2>&-; ', ''] as const
  for (const parentIgnores of ignoring)
    for (const childIgnores of ignoring)
      for (const parentCloses of closed)
        for (const childCloses of closed)
          for (const outlives of ['parent', 'child', 'both', 'neither'] as const) {
            const words = [
              `${outlives} outlives`,
              parentIgnores && 'parent ignores',
              childIgnores && 'child ignores',
              parentCloses && 'parent closes',
              childCloses && 'child closes',
            ]
            test(words.filter(Boolean).join(', '), async () => {
              const mark = `sleep 4${process.pid}.${(marks += 1)}`
              const lasts = (is: boolean): string => (is ? `${mark}; ${mark}` : ':')
              const child = `${childIgnores}${childCloses}${lasts(outlives !== 'parent' && outlives !== 'neither')}`
              const parent = `${parentIgnores}echo begun; (${child}) & ${parentCloses}${lasts(outlives === 'parent' || outlives === 'both')}`
              const lingers = outlives === 'parent' || outlives === 'both'
              const begun = performance.now()
              const result = await spawner.run({
                file: '/bin/sh',
                argv0: 'sh',
                args: ['-c', parent],
                cwd: folder,
                env: { PATH: '/usr/bin:/bin' },
                signal: new AbortController().signal,
                timeoutMs: lingers ? LIMIT : NEVER,
                maxBytes: 1000,
              })
              assert.ok(performance.now() - begun < LIFE)
              assert.deepEqual(
                [result.ended, result.exitCode, Buffer.from(result.stdout).toString()],
                [lingers ? 'timeout' : 'exited', lingers ? -1 : 0, 'begun\n'],
              )
              // What was killed may need a moment until the system has taken it away.
              await until('nothing is left', () => processesWith(mark).length === 0)
            })
          }
})
