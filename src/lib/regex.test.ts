import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { compileUnanchored, compileWhole, isPortablePattern } from './regex.ts'

describe('compileWhole', () => {
  const cases = [
    { pattern: 'foo|bar', text: 'foobar', want: false },
    { pattern: 'foo|bar', text: 'bar', want: true },
    { pattern: '^[a-z]+$', text: 'abc\n', want: false },
    { pattern: '(?m)a$', text: 'a\nb', want: false },
    { pattern: '(?i)abc', text: 'ABC', want: true },
    { pattern: '', text: '', want: true },
  ]
  for (const { pattern, text, want } of cases)
    it(`${JSON.stringify(pattern)} on ${JSON.stringify(text)}`, () => {
      const compiled = compileWhole(pattern)
      assert.ok(compiled.ok)
      assert.equal(compiled.test(text), want)
    })

  for (const pattern of ['a)|(?:.*', '(?=a)', '(a)\\1', '\\Qa', 'a{1001}', '(', `(?:${'a?b|'.repeat(3000)}c)`])
    it(`refuses ${pattern.slice(0, 20)}`, () => assert.equal(compileWhole(pattern).ok, false))

  it('stays linear on what backtracking engines choke on', () => {
    const compiled = compileWhole('(?:a*)*b')
    assert.ok(compiled.ok)
    assert.equal(compiled.test('a'.repeat(100_000)), false)
  })
})

describe('isPortablePattern', () => {
  for (const pattern of ['[a-z0-9]+', '^\\d{3}-\\d{4}$', '(?:a|b)*', '[A-Za-z_][A-Za-z0-9_-]{0,63}', 'a\\.b', '[^/]+'])
    it(`shows ${pattern}`, () => assert.equal(isPortablePattern(pattern), true))
  for (const pattern of [
    '.*',
    '\\s',
    '\\bx',
    '(?i)a',
    '(?i:a)',
    '(?P<n>a)',
    '[[:alpha:]]',
    '\\pL',
    '\\Qa\\E',
    '[]a]',
    '\\x41',
  ])
    it(`keeps ${pattern} back`, () => assert.equal(isPortablePattern(pattern), false))

  it('says so only where both engines agree', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '-',
      '_',
      '0',
      '\\d',
      '\\w',
      '\\.',
      '[a-c]',
      '[^a]',
      '[\\w.-]',
      '(',
      '(?:',
      ')',
      '|',
      '*',
      '+?',
      '{1,2}',
      '^',
      '$',
    )
    const text = fc.array(fc.constantFrom('a', 'b', '-', '_', '0', '.', 'é', '😀')).map(parts => parts.join(''))
    fc.assert(
      fc.property(
        fc.array(atom, { maxLength: 8 }).map(parts => parts.join('')),
        text,
        (pattern, sample) => {
          const compiled = compileUnanchored(pattern)
          fc.pre(compiled.ok && isPortablePattern(pattern))
          assert.ok(compiled.ok)
          assert.equal(compiled.test(sample), new RegExp(pattern, 'u').test(sample), pattern)
        },
      ),
    )
  })
})
