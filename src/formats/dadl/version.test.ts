import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { newerVersion } from './registry-manifest.ts'
import { satisfies } from './toolmesh-range.ts'
import { compareVersions, parseVersion } from './version.ts'
import type { Version } from './version.ts'

function version(text: string): Version {
  const parsed = parseVersion(text)
  assert.ok(parsed !== undefined, text)
  return parsed
}

function order(a: string, b: string): number {
  return Math.sign(compareVersions(version(a), version(b)))
}

test('two or three numbers are a version, and what SemVer lets follow', () => {
  for (const text of ['1.2', '0.0', '1.2.1', '10.20.30', '1.2.0-beta', '1.0-rc.1', '1.2.3-a.b-c.1+build.7', '1.2+x'])
    assert.ok(parseVersion(text) !== undefined, text)
  for (const text of [
    '',
    '1',
    'v1.2',
    '1.2.3.4',
    '1.',
    '.1',
    '1.2-',
    '1.2+',
    '1.2 ',
    '1.x',
    '-1.2',
    '1.2-a..b',
    '1.2\n',
  ])
    assert.equal(parseVersion(text), undefined, text)
  assert.equal(parseVersion(`1.${'9'.repeat(16)}`), undefined)
})

test('versions are ordered as SemVer orders them, a missing patch being 0', () => {
  assert.equal(order('1.2', '1.2.0'), 0)
  assert.equal(order('1.2.0+a', '1.2.0+b'), 0)
  const rising = [
    '0.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
  ]
  const all = [...rising, '1.0.0-rc.1', '1.0', '1.0.1', '1.2', '1.10', '2.0']
  for (const [i, a] of all.entries()) for (const [j, b] of all.entries()) assert.equal(order(a, b), Math.sign(i - j))
})

test('a range holds where each of its comparisons does', () => {
  for (const [range, satisfied] of [
    ['>=0.9.0', true],
    ['>=0.9', true],
    ['>0.9.0', false],
    ['=0.9.0', true],
    ['= 0.9', true],
    ['<0.9.0', false],
    ['<=0.9.0', true],
    ['>=0.9.0, <2.0.0', true],
    [' >=0.5 ,<0.9 ', false],
    ['>=1.0.0-rc.1', false],
    ['>=0.9.0-rc.1', true],
  ] as const)
    assert.deepEqual(satisfies(range, '0.9.0'), { ok: true, satisfied }, range)
})

test('what is no range is said to be none', () => {
  for (const range of [
    '',
    '0.9.0',
    '^0.9.0',
    '~1.2',
    '>=0.9.0 <2',
    '>=0.9.0,',
    '=>1.0',
    '==1.0',
    '>=1',
    '>=x',
    '>=1.0 || <3.0',
  ]) {
    const result = satisfies(range, '0.9.0')
    assert.ok(!result.ok, range)
    assert.match(result.message, /^".*" is no comparison: expected one like/)
  }
  assert.deepEqual(satisfies('>=1.0', 'next'), { ok: false, message: '"next" is no version to compare with' })
})

test('ranges say what their comparisons say one by one', () => {
  const numbers = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3))
  const comparison = fc.tuple(fc.constantFrom('>=', '>', '<=', '<', '='), numbers)
  fc.assert(
    fc.property(numbers, fc.array(comparison, { minLength: 1, maxLength: 4 }), (own, comparisons) => {
      const weight = ([major, minor, patch]: readonly [number, number, number]): number =>
        major * 100 + minor * 10 + patch
      const expected = comparisons.every(([operator, bound]) => {
        const difference = weight(own) - weight(bound)
        return (
          (difference < 0 && operator.includes('<')) ||
          (difference > 0 && operator.includes('>')) ||
          (difference === 0 && operator.includes('='))
        )
      })
      const range = comparisons.map(([operator, bound]) => `${operator}${bound.join('.')}`).join(', ')
      assert.deepEqual(satisfies(range, own.join('.')), { ok: true, satisfied: expected })
    }),
  )
})

const sha256 = 'a'.repeat(64)

test('a registry has a newer version, or has none', () => {
  const manifest = { files: { 'github.dadl': { version: '1.3', sha256 }, __proto__: { version: '9.0', sha256 } } }
  const notice = (file: string, own: string | undefined): unknown => newerVersion(manifest, { file, version: own })
  assert.deepEqual(notice('github.dadl', '1.2.9'), { newer: { version: '1.3', sha256 } })
  assert.deepEqual(notice('github.dadl', '1.3.0'), {})
  assert.deepEqual(notice('github.dadl', '2.0'), {})
  assert.deepEqual(notice('gitlab.dadl', '1.0'), {})
  assert.deepEqual(notice('toString', '1.0'), {})
  assert.deepEqual(notice('github.dadl', undefined), {})
  assert.deepEqual(notice('github.dadl', 'first'), {
    problem: '"first" is no version: expected MAJOR.MINOR or MAJOR.MINOR.PATCH',
  })
})

test('a manifest of another shape tells nothing but that', () => {
  for (const manifest of [
    null,
    [],
    'files',
    {},
    { files: [] },
    { files: {}, more: 1 },
    { files: { a: { version: '1.0' } } },
    { files: { a: { version: '1', sha256 } } },
    { files: { a: { version: '1.0', sha256: 'A'.repeat(64) } } },
    { files: { a: { version: '1.0', sha256, url: 'https://x' } } },
  ]) {
    const { newer, problem } = newerVersion(manifest, { file: 'a', version: '0.1' })
    assert.equal(newer, undefined)
    assert.match(problem ?? '', /^the registry manifest cannot be read: /)
  }
})
