import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { GatewayError } from '../core/errors.ts'
import {
  createExclusive,
  createWhole,
  ensurePrivateDir,
  executableStamp,
  isInside,
  programKind,
  kindOf,
  list,
  lookAtPrivateDir,
  readText,
  realPath,
  writeNew,
} from './files.ts'

const needsRoot = process.getuid?.() === 0 ? false : 'only root can give a folder away'

describe('files', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'files-test-')))
  let folder = base
  let count = 0
  beforeEach(() => {
    folder = join(base, String((count += 1)))
    mkdirSync(folder)
  })
  after(() => rmSync(base, { recursive: true }))

  describe('readText', () => {
    const cases: Readonly<Record<string, (file: string) => void>> = {
      'is missing': () => {},
      'is a folder': file => mkdirSync(file),
      'is a pipe nobody writes to': file => execFileSync('mkfifo', [file]),
      'is a device': file => symlinkSync('/dev/zero', file),
      'is a circle of links': file => symlinkSync(file, file),
      'is not UTF-8': file => writeFileSync(file, Buffer.from([0x61, 0xff])),
      'is too large': file => writeFileSync(file, 'x'.repeat(11)),
    }
    for (const [name, make] of Object.entries(cases))
      test(`refuses what ${name}, and names it`, async () => {
        const file = join(folder, 'a.txt')
        make(file)
        await assert.rejects(readText(file, { maxBytes: 10 }), error => {
          assert.ok(error instanceof GatewayError)
          assert.equal(error.code, 'file_unreadable')
          assert.ok(error.message.includes(file))
          return true
        })
      })

    test('gives the text as it is, of up to the cap', async () => {
      const file = join(folder, 'a.txt')
      for (const text of ['', 'ä\r\n\0💥', 'x'.repeat(100_000)]) {
        writeFileSync(file, text)
        assert.equal(await readText(file, { maxBytes: 100_000 }), text)
      }
    })
  })

  describe('createWhole', () => {
    test('makes a file for its owner alone, and leaves no draft', async () => {
      const file = join(folder, 'a')
      assert.equal(await createWhole(file, 'new'), true)
      assert.equal(readFileSync(file, 'utf8'), 'new')
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.deepEqual(readdirSync(folder), ['a'])
    })

    test('touches nothing that stands there, be it a file, a folder or a link to nowhere', async () => {
      writeFileSync(join(folder, 'file'), 'kept')
      mkdirSync(join(folder, 'folder'))
      symlinkSync('elsewhere', join(folder, 'link'))
      for (const name of ['file', 'folder', 'link']) assert.equal(await createWhole(join(folder, name), 'new'), false)
      assert.equal(readFileSync(join(folder, 'file'), 'utf8'), 'kept')
      assert.deepEqual(readdirSync(folder).toSorted(), ['file', 'folder', 'link'])
    })

    test('is made once by many at one moment', async () => {
      const made = await Promise.all(Array.from({ length: 8 }, (_, n) => createWhole(join(folder, 'a'), String(n))))
      assert.equal(made.filter(Boolean).length, 1)
      assert.equal(readFileSync(join(folder, 'a'), 'utf8'), String(made.indexOf(true)))
    })
  })

  describe('writeNew', () => {
    test('makes the file and its folders, once', async () => {
      const file = join(folder, 'a/b/c.txt')
      assert.equal(await writeNew(file, 'one'), undefined)
      assert.equal(await writeNew(file, 'two'), 'it is there already')
      assert.equal(readFileSync(file, 'utf8'), 'one')
    })

    test('follows no link, and says why it cannot', async () => {
      symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'))
      assert.equal(await writeNew(join(folder, 'link'), 'x'), 'it is there already')
      assert.equal(await kindOf(join(folder, 'elsewhere')), 'missing')
      writeFileSync(join(folder, 'file'), '')
      assert.notEqual(await writeNew(join(folder, 'file/below'), 'x'), undefined)
    })
  })

  test('lookAtPrivateDir finds what ensurePrivateDir would, and makes nothing', async () => {
    mkdirSync(join(folder, 'own'), { mode: 0o700 })
    mkdirSync(join(folder, 'open'))
    chmodSync(join(folder, 'open'), 0o755)
    writeFileSync(join(folder, 'file'), '')
    const statusOf = async (name: string, forbidden?: number): Promise<string> =>
      (await lookAtPrivateDir(join(folder, name), forbidden === undefined ? {} : { forbidden })).status
    assert.equal(await statusOf('own'), 'usable')
    assert.equal(await statusOf('open'), 'refused')
    assert.equal(await statusOf('open', 0o022), 'usable')
    for (const name of ['file', 'file/below']) assert.equal(await statusOf(name), 'refused')
    assert.equal(await statusOf('not/yet/there'), 'missing')
    assert.deepEqual(readdirSync(folder).toSorted(), ['file', 'open', 'own'])
  })

  test('createExclusive takes neither an existing file nor a link to nowhere', async () => {
    writeFileSync(join(folder, 'there'), '')
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'))
    for (const name of ['there', 'link'])
      await assert.rejects(createExclusive(join(folder, name), 0o600), { code: 'EEXIST' })
    assert.equal(await kindOf(join(folder, 'elsewhere')), 'missing')
  })

  describe('ensurePrivateDir', () => {
    const refused = async (path: string, code = 'state_unsafe'): Promise<void> => {
      await assert.rejects(ensurePrivateDir(path), error => error instanceof GatewayError && error.code === code)
    }

    test('makes it owner-only, whatever is above it, and takes it again', async () => {
      const path = join(folder, 'not', 'yet')
      await ensurePrivateDir(path)
      await ensurePrivateDir(path)
      assert.equal(statSync(path).mode & 0o777, 0o700)
    })

    test('refuses a link, a file, and what others may look into', async () => {
      mkdirSync(join(folder, 'real'), { mode: 0o700 })
      symlinkSync('real', join(folder, 'link'))
      writeFileSync(join(folder, 'file'), '')
      for (const name of ['link', 'file', 'file/below']) await refused(join(folder, name))
      for (const mode of [0o710, 0o701, 0o755, 0o770]) {
        chmodSync(join(folder, 'real'), mode)
        await refused(join(folder, 'real'))
      }
    })

    test("refuses somebody else's", { skip: needsRoot }, async () => {
      mkdirSync(join(folder, 'theirs'), { mode: 0o700 })
      chownSync(join(folder, 'theirs'), 65_534, 65_534)
      await refused(join(folder, 'theirs'))
    })

    test('may be told which bits matter and what to report', async () => {
      mkdirSync(join(folder, 'open'))
      chmodSync(join(folder, 'open'), 0o755)
      const options = { forbidden: 0o022, code: 'evidence_unavailable' } as const
      await ensurePrivateDir(join(folder, 'open'), options)
      chmodSync(join(folder, 'open'), 0o775)
      await assert.rejects(ensurePrivateDir(join(folder, 'open'), options), { code: 'evidence_unavailable' })
    })
  })

  test('list is sorted, without repetitions, folders, and what lies behind linked folders', async () => {
    mkdirSync(join(folder, 'b', 'c'), { recursive: true })
    for (const name of ['z.x', 'b/a.x', 'b/c/d.x', 'b/other']) writeFileSync(join(folder, name), '')
    symlinkSync('..', join(folder, 'b', 'circle'))
    symlinkSync('a.x', join(folder, 'b', 'linked.x'))
    mkdirSync(join(folder, 'folder.x'))
    const found = await list(folder, ['**/*.x', 'b/*.x'])
    assert.deepEqual(
      found,
      ['b/a.x', 'b/c/d.x', 'b/linked.x', 'z.x'].map(name => join(folder, name)),
    )
    assert.deepEqual(await list(join(folder, 'nowhere'), ['**/*']), [])
  })

  describe('realPath', () => {
    test('follows links, and keeps what does not exist yet', async () => {
      mkdirSync(join(folder, 'real'))
      symlinkSync('real', join(folder, 'link'))
      assert.equal(await realPath(join(folder, 'link', 'not', 'yet')), join(folder, 'real', 'not', 'yet'))
    })

    test('does not guess where a link to nowhere or a circle leads', async () => {
      symlinkSync(join(folder, 'later'), join(folder, 'dangling'))
      symlinkSync('circle', join(folder, 'circle'))
      for (const name of ['dangling', 'dangling/x', 'circle', 'circle/x'])
        assert.equal(await realPath(join(folder, name)), undefined, name)
    })
  })

  test('isInside knows a neighbour whose name begins alike, and names that begin with dots', () => {
    for (const path of ['/a/b', '/a/b/c', '/a/b/..c', '/a/b/...']) assert.ok(isInside('/a/b', path), path)
    for (const path of ['/a', '/a/bc', '/a/c', '/']) assert.ok(!isInside('/a/b', path), path)
    assert.ok(isInside('/', '/a'))
  })

  test('executableStamp changes with the file, and is there for programs only', () => {
    const file = join(folder, 'program')
    assert.equal(executableStamp(file), undefined)
    writeFileSync(file, '#!/bin/true')
    assert.equal(executableStamp(file), undefined)
    chmodSync(file, 0o755)
    const first = executableStamp(file)
    assert.ok(first !== undefined && first === executableStamp(file))
    rmSync(file)
    writeFileSync(file, '#!/bin/true', { mode: 0o755 })
    assert.notEqual(executableStamp(file), first)
    assert.equal(executableStamp(folder), undefined)
    assert.equal(executableStamp(join(file, 'below')), undefined)
  })

  test('programKind knows what the kernel runs from what a shell would be given', async () => {
    assert.equal(await programKind(process.execPath), 'program')
    for (const [content, expected] of [
      ['#!/bin/sh\n', 'script'],
      ['echo hello\n', 'none'],
      ['', 'none'],
    ] as const) {
      writeFileSync(join(folder, 'f'), content)
      assert.equal(await programKind(join(folder, 'f')), expected, content)
    }
  })
})
