import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { unprivileged } from '../../test/helpers/unprivileged.ts'
import { openHeads } from './heads.ts'

const folder = mkdtempSync(join(tmpdir(), 'heads-test-'))
const head = (seq: number, digit = 'a') => ({ seq, hash: digit.repeat(64) })

describe('heads', () => {
  after(() => rmSync(folder, { recursive: true }))
  let count = 0
  const fresh = (): string => join(folder, String((count += 1)))

  test('what was written last is read, by another process too, and only its owner can', async () => {
    const dir = fresh()
    const open = openHeads(dir).create('w-1', head(0))
    assert.deepEqual(await openHeads(dir).read('w-1'), head(0))
    open.update(head(7, 'b'))
    open.update(head(Number.MAX_SAFE_INTEGER, 'c'))
    assert.deepEqual(await openHeads(dir).read('w-1'), head(Number.MAX_SAFE_INTEGER, 'c'))
    open.close()
    open.close()
    assert.equal(statSync(dir).mode & 0o777, 0o700)
    assert.equal(statSync(join(dir, 'w-1.head')).mode & 0o777, 0o600)
  })

  test('an update replaces the whole record (property)', async () => {
    const dir = fresh()
    const heads = openHeads(dir)
    const open = heads.create('w', head(0))
    const seq = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
    const hash = fc.stringMatching(/^[0-9a-f]{64}$/)
    await fc.assert(
      fc.asyncProperty(seq, hash, async (at, digest) => {
        open.update({ seq: at, hash: digest })
        assert.deepEqual(await heads.read('w'), { seq: at, hash: digest })
      }),
      { numRuns: 50 },
    )
    open.close()
  })

  test('nothing is made before it is needed', async () => {
    const dir = fresh()
    const heads = openHeads(dir)
    assert.equal(await heads.read('w'), undefined)
    assert.deepEqual(await heads.list(), new Map())
    assert.throws(() => statSync(dir), { code: 'ENOENT' })
  })

  test('a head that exists is never begun anew', async () => {
    const dir = fresh()
    const heads = openHeads(dir)
    const open = heads.create('w', head(0))
    open.update(head(3))
    assert.throws(() => heads.create('w', head(0)), { code: 'store_unavailable' })
    symlinkSync(join(dir, 'elsewhere'), join(dir, 'link.head'))
    assert.throws(() => heads.create('link', head(0)), { code: 'store_unavailable' })
    assert.deepEqual(await heads.read('w'), head(3))
    open.close()
  })

  test('a closed head is never written again: its descriptor may be another file by then', async () => {
    const dir = fresh()
    const heads = openHeads(dir)
    const open = heads.create('w', head(1))
    open.close()
    const other = heads.create('other', head(2))
    assert.throws(() => open.update(head(9)), { code: 'closed' })
    assert.deepEqual(await heads.read('other'), head(2))
    other.close()
  })

  test('lists every head and nothing else', async () => {
    const dir = fresh()
    const heads = openHeads(dir)
    for (const id of ['a', 'b']) heads.create(id, head(1, id)).close()
    for (const name of ['note.txt', '.head', 'a b.head', 'c.head.bak']) writeFileSync(join(dir, name), 'x')
    const known = new Map([
      ['a', head(1, 'a')],
      ['b', head(1, 'b')],
    ])
    assert.deepEqual(await heads.list(), known)
  })

  for (const { name, make } of [
    { name: 'an empty file', make: (file: string) => writeFileSync(file, '') },
    { name: 'a short record', make: (file: string, record: string) => writeFileSync(file, record.slice(0, -1)) },
    { name: 'a longer file', make: (file: string, record: string) => writeFileSync(file, `${record}x`) },
    {
      name: 'a record whose place was edited',
      make: (file: string, record: string) => writeFileSync(file, record.replace('5', '4')),
    },
    {
      name: 'a record whose hash was edited',
      make: (file: string, record: string) => writeFileSync(file, record.replace('a', 'b')),
    },
    { name: 'a huge file', make: (file: string, record: string) => writeFileSync(file, record.repeat(100_000)) },
    { name: 'a folder', make: (file: string) => mkdirSync(file) },
    { name: 'a link to a record', make: (file: string) => symlinkSync('good.head', file) },
    { name: 'a link to a device', make: (file: string) => symlinkSync('/dev/zero', file) },
  ])
    test(`${name} is a damaged head, and keeps no other from being read`, async () => {
      const dir = fresh()
      const heads = openHeads(dir)
      heads.create('good', head(5)).close()
      make(join(dir, 'bad.head'), readFileSync(join(dir, 'good.head'), 'latin1'))
      assert.equal(await heads.read('bad'), 'damaged')
      const known = new Map<string, unknown>([
        ['bad', 'damaged'],
        ['good', head(5)],
      ])
      assert.deepEqual(await heads.list(), known)
    })

  test('a pipe is a damaged head, not a wait for whoever writes into it', async () => {
    const dir = fresh()
    mkdirSync(dir)
    execFileSync('mkfifo', [join(dir, 'pipe.head')])
    assert.equal(await openHeads(dir).read('pipe'), 'damaged')
  })

  test('an id leads to no file outside the folder', async () => {
    const dir = fresh()
    openHeads(join(dir, 'inner')).create('w', head(1)).close()
    openHeads(dir).create('w', head(2)).close()
    for (const id of ['../w', 'inner/w', '', 'w\0', 'w.head'])
      assert.equal(await openHeads(join(dir, 'inner')).read(id), undefined, id)
  })

  test('a reader never sees half a record, however often it is replaced', async () => {
    const dir = fresh()
    const open = openHeads(dir).create('w', head(0, '0'))
    const script = `
      import { openHeads } from '${join(import.meta.dirname, 'heads.ts')}'
      const heads = openHeads('${dir}')
      const seen = new Set()
      for (let n = 0; n < 3000; n++) {
        const found = await heads.read('w')
        if (found === 'damaged' || !/^(.)\\1*$/.test(found.hash) || Number(found.hash[0]) !== found.seq % 10) throw new Error(JSON.stringify(found))
      }`
    const reader = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
    const exited = once(reader, 'exit')
    for (let seq = 1; reader.exitCode === null && reader.signalCode === null; seq++) {
      open.update(head(seq, String(seq % 10)))
      if (seq % 100 === 0) await new Promise(resolve => setImmediate(resolve))
    }
    assert.deepEqual(await exited, [0, null])
    open.close()
  })

  test('a folder that cannot be used is a clear fault', async () => {
    const file = fresh()
    writeFileSync(file, '')
    const inFile = openHeads(join(file, 'heads'))
    assert.throws(() => inFile.create('w', head(0)), { code: 'store_unavailable' })
    await assert.rejects(openHeads(file).list(), { code: 'store_unavailable' })
  })

  test('a folder of somebody else is a clear fault', async () => {
    const dir = fresh()
    openHeads(dir).create('w', head(0)).close()
    chmodSync(folder, 0o711)
    const script = `
      import { openHeads } from '${join(import.meta.dirname, 'heads.ts')}'
      const heads = openHeads('${dir}')
      const outcomes = [
        await heads.read('w').catch(error => error.code),
        await heads.list().catch(error => error.code),
        await Promise.resolve().then(() => heads.create('x', ${JSON.stringify(head(0))})).catch(error => error.code),
      ]
      console.log(outcomes.join())`
    assert.equal(unprivileged(script), 'store_unavailable,store_unavailable,store_unavailable\n')
  })
})
