import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { watch } from './watch.ts'

const root = mkdtempSync(join(tmpdir(), 'watch-test-'))
describe('watch', () => {
  after(() => rmSync(root, { recursive: true }))

  describe('watch', () => {
    let folder: string
    let count = 0
    beforeEach(() => {
      count += 1
      folder = join(root, String(count))
      mkdirSync(folder)
    })

    /** Watches, makes the change, and resolves when it was noticed. */
    async function notices(paths: readonly string[], ...changes: readonly (() => void)[]): Promise<void> {
      let noticed = Promise.withResolvers<void>()
      const watching = watch(paths, () => noticed.resolve())
      try {
        for (const change of changes) {
          noticed = Promise.withResolvers<void>()
          change()
          await noticed.promise
        }
      } finally {
        watching.close()
        watching.close()
      }
    }

    test('a file is added, edited, replaced as editors do, removed', async () => {
      const file = join(folder, 'tools', 'a.txt')
      mkdirSync(join(folder, 'tools'))
      await notices(
        [join(folder, 'tools')],
        () => writeFileSync(file, '1'),
        () => writeFileSync(file, '2'),
        () => {
          writeFileSync(`${file}~`, '3')
          renameSync(`${file}~`, file)
        },
        () => rmSync(file),
      )
    })

    test('a folder that does not exist yet, with folders of its own', async () => {
      const tools = join(folder, 'not', 'yet')
      await notices(
        [tools],
        () => mkdirSync(tools, { recursive: true }),
        () => mkdirSync(join(tools, 'deep')),
        () => writeFileSync(join(tools, 'deep', 'a.txt'), '1'),
        () => rmSync(join(folder, 'not'), { recursive: true }),
        () => mkdirSync(tools, { recursive: true }),
        () => writeFileSync(join(tools, 'b.txt'), '1'),
      )
    })

    test('a file that is written all the time, while it is', { timeout: 10_000 }, async () => {
      const writing = setInterval(() => writeFileSync(join(folder, 'log'), String(Math.random())), 10)
      try {
        await notices([folder], () => {})
      } finally {
        clearInterval(writing)
      }
    })

    test('a folder that took the place of a watched one, and no longer the old one', async () => {
      const tools = join(folder, 'tools')
      mkdirSync(tools)
      let calls = 0
      const watching = watch([tools], () => (calls += 1))
      await notices([tools], () => {
        mkdirSync(join(folder, 'next'))
        renameSync(tools, join(folder, 'old'))
        renameSync(join(folder, 'next'), tools)
      })
      await notices([tools], () => writeFileSync(join(tools, 'a'), '1'))
      const before = calls
      await notices([join(folder, 'old')], () => writeFileSync(join(folder, 'old', 'a'), '1'))
      assert.equal(calls, before)
      watching.close()
    })

    test('a single file, though its neighbours change too', async () => {
      const file = join(folder, 'one.txt')
      writeFileSync(file, '1')
      let calls = 0
      const watching = watch([file], () => (calls += 1))
      writeFileSync(join(folder, 'other.txt'), '1')
      await notices([join(folder, 'other.txt')], () => writeFileSync(join(folder, 'other.txt'), '2'))
      assert.equal(calls, 0)
      watching.close()
      await notices([file], () => writeFileSync(file, '2'))
    })
  })
})
