import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { parseToml } from './toml.ts'

describe('parseToml', () => {
  it('tells integers from floats and keeps 64 bits', () => {
    const parsed = parseToml('a = 9223372036854775807\nb = 1.0')
    assert.ok(parsed.ok)
    assert.deepEqual({ ...parsed.value }, { a: 9223372036854775807n, b: 1 })
  })

  it('keeps `__proto__` as data', () => {
    const parsed = parseToml('[__proto__]\nx = 1')
    assert.ok(parsed.ok)
    assert.deepEqual(Object.keys(parsed.value), ['__proto__'])
  })

  const refused = [
    { name: 'an open string', text: 'a = "x', line: 1, column: 5 },
    { name: 'a table defined twice', text: '[a]\n[a]', line: 2, column: 2 },
    { name: 'TOML 1.1: a comma at the end of an inline table', text: 'a = { b = 1, }', line: 1, column: 14 },
    { name: 'TOML 1.1: a new line in an inline table', text: 'a = { b = 1,\n c = 2 }', line: 2, column: 2 },
    { name: 'TOML 1.1: the escape \\e', text: 'a = "\\e"', line: 1, column: 7 },
    { name: 'deep arrays', text: `a = ${'['.repeat(5000)}${']'.repeat(5000)}`, line: 1, column: undefined },
    { name: 'deep tables', text: `[${'a.'.repeat(5000)}a]`, line: 1, column: 1 },
  ]
  for (const { name, text, line, column } of refused)
    it(`refuses ${name}`, () => {
      const parsed = parseToml(text)
      assert.ok(!parsed.ok)
      assert.equal(parsed.position.line, line)
      if (column !== undefined) assert.equal(parsed.position.column, column)
    })

  const text = '\uFEFF[a]\nb.c = { d = [1, { e = 2 }] }\n[[f]]\ng = 1\n[[f]]\n  g = 2\n[f."x/y"]\nz = 1\n'
  const places = [
    { path: '', at: [1, 1] },
    { path: '/a', at: [1, 2] },
    { path: '/a/b', at: [2, 1] },
    { path: '/a/b/c', at: [2, 3] },
    { path: '/a/b/c/d', at: [2, 9] },
    { path: '/a/b/c/d/1', at: [2, 17] },
    { path: '/a/b/c/d/1/e', at: [2, 19] },
    { path: '/f/1/g', at: [6, 3] },
    { path: '/f/1/x~1y', at: [7, 4] },
    { path: '/a/missing/deeper', at: [1, 2] },
  ]
  for (const { path, at } of places)
    it(`finds the place of "${path}"`, () => {
      const parsed = parseToml(text)
      assert.ok(parsed.ok)
      assert.deepEqual(parsed.locate(path), { line: at[0], column: at[1] })
    })

  it('never throws', () => {
    const fragment = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      '=',
      '"',
      "'''",
      '\n',
      '\r',
      'a',
      '.',
      '1',
      ',',
      '\\u',
      '\0',
      '#',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fragment).map(parts => parts.join('')),
        ),
        source => {
          const parsed = parseToml(source)
          if (parsed.ok) assert.ok(parsed.locate('/a/0').line > 0)
        },
      ),
    )
  })
})
