import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { readBeside } from './read-beside.ts'

describe('a file that another one names', () => {
  const above = mkdtempSync(join(tmpdir(), 'sallyport-beside-'))
  const folder = join(above, 'apis')
  mkdirSync(join(folder, 'common'), { recursive: true })
  writeFileSync(join(folder, 'common', 'a.yaml'), 'a: 1\n')
  writeFileSync(join(folder, 'bytes.yaml'), Buffer.from([0xff, 0xfe]))
  writeFileSync(join(above, 'secret'), 'secret')
  symlinkSync(join(above, 'secret'), join(folder, 'link.yaml'))
  symlinkSync(above, join(folder, 'up'))
  symlinkSync(join(folder, 'common'), join(folder, 'inner'))
  after(() => rmSync(above, { recursive: true, force: true }))
  const read = (path: string, maxBytes = 100) => readBeside(folder, path, { maxBytes })

  test('is read below the folder, through links that stay there', () => {
    assert.deepEqual(read('common/a.yaml'), { file: join(folder, 'common/a.yaml'), text: 'a: 1\n' })
    assert.deepEqual(read('inner/a.yaml'), { file: join(folder, 'inner/a.yaml'), text: 'a: 1\n' })
  })

  for (const path of ['../secret', join(above, 'secret'), 'link.yaml', 'up/secret', 'common/../../secret'])
    test(`is not read outside of it: ${path.replace(above, '…')}`, () => {
      assert.deepEqual(read(path), { outside: true })
    })

  for (const [path, why] of [
    ['absent.yaml', /absent\.yaml: /],
    ['common', /not a regular file/],
    ['bytes.yaml', /not valid UTF-8/],
    ['common/a.yaml/b', /: /],
    ['nul\0', /: /],
  ] as const)
    test(`says why it cannot be read: ${JSON.stringify(path)}`, () => {
      const found = read(path)
      assert.match('unreadable' in found ? found.unreadable : '', why)
    })

  test('is not read where it is too large', () => {
    const found = read('common/a.yaml', 4)
    assert.match('unreadable' in found ? found.unreadable : '', /larger than 4 bytes/)
    assert.ok('text' in read('common/a.yaml', 5))
  })
})
