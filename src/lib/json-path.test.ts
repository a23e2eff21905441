import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { JsonValue } from '../core/json.ts'
import { compileJsonPath } from './json-path.ts'

function values(
  source: string,
  root: JsonValue,
  options?: { readonly hyphens: boolean },
): readonly JsonValue[] | string {
  const compiled = compileJsonPath(source, options)
  return compiled.ok ? compiled.path.values(root) : `${compiled.at}: ${compiled.message}`
}

const data: JsonValue = { a: [{ b: 1, 'c-d': 2 }, { b: 3 }], e: { f: null } }

test('names, indices and wildcards lead where RFC 9535 says', () => {
  assert.deepEqual(values('$', data), [data])
  assert.deepEqual(values('$.a[0].b', data), [1])
  assert.deepEqual(values('$.a[-1].b', data), [3])
  assert.deepEqual(values('$.a[*].b', data), [1, 3])
  assert.deepEqual(values('$.e.*', data), [null])
  assert.deepEqual(values('$[\'a\'][0]["c-d"]', data), [2])
  for (const nothing of ['$.x', '$.a[9]', '$.a.b', '$.e[0]', '$.e.f.g', '$.toString', '$.a.length', '$.__proto__'])
    assert.deepEqual(values(nothing, data), [], nothing)
})

test('a hyphen is part of a name only where it is said to be', () => {
  assert.deepEqual(values('$.a[0].c-d', data, { hyphens: true }), [2])
  assert.match(JSON.stringify(values('$.a[0].c-d', data)), /^"8: a name with/)
})

test('what is outside the dialect is an error with its place, never nothing', () => {
  for (const [source, at] of [
    ['', 0],
    ['a', 0],
    ['$..a', 1],
    ['$.a[1:2]', 3],
    ['$[?@.a]', 1],
    ['$.a[0,1]', 3],
    ['$.', 1],
    ['$.a b', 3],
    ['$[01]', 1],
    ["$['a", 1],
    ['$ .a', 1],
  ] as const) {
    const compiled = compileJsonPath(source)
    assert.ok(!compiled.ok && compiled.at === at, `${source}: ${JSON.stringify(compiled)}`)
  }
})

const file = join(
  process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../shared'),
  'corpus/jsonpath/cts.json',
)
describe('the compliance suite of RFC 9535', { skip: existsSync(file) ? false : `${file} is not here` }, () => {
  test('cases of the dialect agree, all others are refused', () => {
    const { tests } = JSON.parse(readFileSync(file, 'utf8'))
    let inside = 0
    for (const { name, selector, document, result, results, invalid_selector: invalid } of tests) {
      const compiled = compileJsonPath(selector)
      if (!compiled.ok) {
        // What the suite accepts and the dialect does not: descendants, slices, filters, unions, and blanks between segments.
        if (invalid !== true) assert.match(selector, /\.\.|:|\?|,|\s/, name)
        continue
      }
      assert.notEqual(invalid, true, name)
      inside += 1
      const got = compiled.path.values(document)
      assert.ok(
        (results ?? [result]).some((want: unknown) => JSON.stringify(want) === JSON.stringify(got)),
        name,
      )
    }
    assert.ok(inside >= 60, String(inside))
  })
})
