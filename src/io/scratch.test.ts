import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { unprivileged } from '../../test/helpers/unprivileged.ts'
import { makeScratch } from './scratch.ts'

describe('a scratch folder', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'scratch-test-')))
  let folder = base
  let count = 0
  beforeEach(() => {
    folder = join(base, String((count += 1)))
    mkdirSync(folder)
  })
  after(() => rmSync(base, { recursive: true }))

  test('is new, for its owner alone, and removed whatever it holds, more than once', async () => {
    const [one, two] = [makeScratch(folder), makeScratch(folder)]
    assert.notEqual(one.path, two.path)
    assert.equal(statSync(one.path).mode & 0o777, 0o700)
    mkdirSync(join(one.path, 'a', 'b'), { recursive: true })
    writeFileSync(join(one.path, 'a', 'b', 'c'), '')
    execFileSync('mkfifo', [join(one.path, 'pipe')])
    for (const scratch of [one, two, one]) await scratch.remove()
    assert.deepEqual(readdirSync(folder), [])
  })

  test('takes what links lead to nowhere with it', async () => {
    mkdirSync(join(folder, 'kept'))
    writeFileSync(join(folder, 'kept', 'file'), '')
    const scratch = makeScratch(folder)
    symlinkSync(join(folder, 'kept'), join(scratch.path, 'link'))
    await scratch.remove()
    assert.deepEqual(readdirSync(join(folder, 'kept')), ['file'])
  })

  test('is removed though nested deeper than the longest path', async () => {
    const scratch = makeScratch(folder)
    const inner = join(scratch.path, 'inner')
    const outer = join(scratch.path, 'outer')
    mkdirSync(inner)
    for (let depth = 0; depth < 40; depth++) {
      mkdirSync(outer)
      renameSync(inner, join(outer, 'x'.repeat(200)))
      renameSync(outer, inner)
    }
    await scratch.remove()
    assert.deepEqual(readdirSync(folder), [])
  })

  test('is removed by a user whom its folders shut out', async () => {
    const body = `
      import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
      import { makeScratch } from '${join(import.meta.dirname, 'scratch.ts')}'
      const scratch = makeScratch('${folder}')
      mkdirSync(scratch.path + '/a/b/c', { recursive: true })
      writeFileSync(scratch.path + '/a/b/file', '')
      for (const name of ['/a/b/c', '/a/b', '/a', '']) chmodSync(scratch.path + name, 0)
      await scratch.remove()
      console.log(existsSync(scratch.path))`
    chmodSync(base, 0o711)
    chmodSync(folder, 0o777)
    assert.equal(unprivileged(body), 'false\n')
  })

  const instead: Readonly<Record<string, (path: string) => void>> = {
    'a link to a folder': path => symlinkSync(join(folder, 'kept'), path),
    'a file': path => writeFileSync(path, ''),
    nothing: () => {},
  }
  for (const [name, put] of Object.entries(instead))
    test(`that was replaced by ${name} is removed, and nothing else`, async () => {
      mkdirSync(join(folder, 'kept', 'inner'), { recursive: true })
      const scratch = makeScratch(folder)
      renameSync(scratch.path, join(folder, 'kept', 'moved'))
      put(scratch.path)
      await scratch.remove()
      assert.deepEqual([readdirSync(folder), readdirSync(join(folder, 'kept'))], [['kept'], ['inner', 'moved']])
    })
})
