import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { toPointer } from './pointer.ts'
import { parseYaml } from './yaml.ts'

describe('values are those of YAML 1.2, core schema', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['no', 'no'],
    ['yes', 'yes'],
    ['on', 'on'],
    ['Off', 'Off'],
    ['y', 'y'],
    ['true', true],
    ['False', false],
    ['~', null],
    ['', null],
    ['0o17', 15],
    ['017', 17],
    ['0x1F', 31],
    ['0b11', '0b11'],
    ['1_000', '1_000'],
    ['1:30', '1:30'],
    ['2026-12-01', '2026-12-01'],
    ['+1.5e3', 1500],
    ['.5', 0.5],
    ['"12345678901234567890"', '12345678901234567890'],
    ['!!str 5', '5'],
    ['9007199254740991', 9007199254740991],
  ]
  for (const [text, value] of cases)
    test(JSON.stringify(text), () => {
      const parsed = parseYaml(`key: ${text}\n`)
      assert.deepEqual(parsed.problems, [])
      assert.deepEqual(parsed.value, { key: value })
    })

  test('an empty text, and one of comments, is null', () => {
    assert.equal(parseYaml('').value, null)
    assert.equal(parseYaml('# nothing\n').value, null)
  })

  test('a key may be called __proto__ without becoming one', () => {
    const { value } = parseYaml('__proto__: {polluted: true}\n')
    assert.equal(JSON.stringify(value), '{"__proto__":{"polluted":true}}')
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
  })
})

describe('problems', () => {
  const cases: readonly {
    readonly name: string
    readonly text: string
    readonly want: readonly (readonly [code: string, path: string, line: number, column: number])[]
  }[] = [
    {
      name: 'all duplicate keys, each at its second place',
      text: 'a: 1\nb:\n  c: 1\n  "c": 2\na: 2\n',
      want: [
        ['duplicate_key', '/b/c', 4, 3],
        ['duplicate_key', '/a', 5, 1],
      ],
    },
    { name: 'a duplicate in flow style', text: '{x: 1, x: 2}', want: [['duplicate_key', '/x', 1, 8]] },
    { name: 'a duplicate under two spellings', text: '0x1: a\n1: b\n', want: [['syntax', '', 2, 1]] },
    { name: 'a duplicate in a list', text: '- {}\n- a: 1\n  a: 2\n', want: [['duplicate_key', '/1/a', 3, 3]] },
    { name: 'an open bracket', text: 'a: [1,\n', want: [['syntax', '', 2, 1]] },
    { name: 'an unknown tag', text: 'a: !secret b\n', want: [['syntax', '', 1, 4]] },
    { name: 'an unknown alias', text: 'a: *b\n', want: [['syntax', '', 1, 5]] },
    { name: 'a second document', text: 'a: 1\n---\nb: 2\n', want: [['syntax', '', 3, 1]] },
    { name: 'a key that is a list', text: '? [a]\n: b\n', want: [['syntax', '', 1, 1]] },
    { name: 'a NUL', text: 'a: "\0"\n', want: [['syntax', '', 1, 5]] },
    {
      name: 'an integer that a double cannot hold',
      text: 'id: 12345678901234567890\n',
      want: [['syntax', '/id', 1, 5]],
    },
    { name: 'infinity', text: '- 1\n- .inf\n', want: [['syntax', '/1', 2, 3]] },
    { name: 'a number beyond a double', text: 'x: 1e999\n', want: [['syntax', '/x', 1, 4]] },
    { name: 'a collection inside itself', text: 'a: &a [*a]\n', want: [['alias_bomb', '/a/0', 1, 8]] },
    { name: 'Windows line ends', text: 'a: 1\r\na: 2\r\n', want: [['duplicate_key', '/a', 2, 1]] },
    {
      name: 'a byte-order mark counts for no column',
      text: '\uFEFFa: 1\na: 2\n',
      want: [['duplicate_key', '/a', 2, 1]],
    },
  ]
  for (const { name, text, want } of cases)
    test(name, () => {
      const { value, problems } = parseYaml(text)
      assert.equal(value, undefined)
      assert.deepEqual(
        problems.map(({ code, path, position }) => [code, path, position.line, position.column]),
        want,
      )
    })

  test('a merge key is reported and resolved', () => {
    const { value, problems } = parseYaml('base: &base {x: 1, y: 1}\nmore:\n  <<: *base\n  y: 2\n')
    assert.deepEqual(value, { base: { x: 1, y: 1 }, more: { x: 1, y: 2 } })
    assert.deepEqual(
      problems.map(({ code, path, position }) => [code, path, position.line]),
      [['merge_key', '/more/<<', 3]],
    )
  })
})

describe('documents that are small as text and large as values', () => {
  test('the billion laughs', () => {
    const laugh = lines(
      30,
      index =>
        `a${index}: &a${index} [${Array(10)
          .fill(`*a${index - 1}`)
          .join(', ')}]`,
    )
    assert.deepEqual(codes(laugh), ['alias_bomb'])
  })

  test('the same by merge keys', () => {
    const merge = lines(40, index => `a${index}: &a${index} {<<: [*a${index - 1}, *a${index - 1}]}`)
    assert.ok(codes(merge).includes('alias_bomb'))
  })

  test('depth by aliases', () => {
    assert.ok(codes(lines(80, index => `a${index}: &a${index} [*a${index - 1}]`)).includes('alias_bomb'))
  })

  test('depth as written', () => {
    assert.deepEqual(codes('['.repeat(50_000)), ['syntax'])
    assert.deepEqual(codes(`${'- '.repeat(200)}x`), ['syntax'])
  })

  test('a few hundred aliases are ordinary', () => {
    const text = `base: &base {type: array}\nuses:\n${'  - *base\n'.repeat(500)}`
    assert.deepEqual(codes(text), [])
  })
})

describe('locate', () => {
  const text = [
    '# a comment',
    'spec: "x"',
    'tools:',
    '  - name: first',
    '    params: {a: 1, "b/c": 2}',
    '  -',
    '    name: &n second',
    '    alias: *n',
  ].join('\n')
  const cases: readonly (readonly [string, number, number])[] = [
    ['', 2, 1],
    ['/spec', 2, 1],
    ['/tools', 3, 1],
    ['/tools/0', 4, 5],
    ['/tools/0/name', 4, 5],
    ['/tools/0/params/a', 5, 14],
    ['/tools/0/params/b~1c', 5, 20],
    ['/tools/1/name', 7, 5],
    ['/tools/1/alias', 8, 5],
    ['/tools/1/alias/inside', 8, 5],
    ['/tools/7', 3, 1],
    ['/nothing', 2, 1],
  ]
  for (const [pointer, line, column] of cases)
    test(pointer === '' ? 'the document' : pointer, () => {
      assert.deepEqual(parseYaml(text).locate(pointer), { line, column })
    })
})

test('any text is answered, never thrown at; what JSON holds comes back the same, with every member in its place', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('ab:-[]{}&*!|>"\'# \n\t<?,.0')) }), text => {
      const { value, problems, locate } = parseYaml(text)
      assert.ok(value !== undefined || problems.length > 0)
      assert.ok(locate('/a/0').line >= 1)
    }),
  )
  const key = fc.string({ unit: 'grapheme-ascii', maxLength: 8 })
  const json = fc.dictionary(key, fc.oneof(fc.boolean(), fc.maxSafeInteger(), key), { maxKeys: 5 })
  fc.assert(
    fc.property(json, value => {
      const text = JSON.stringify(value, undefined, 1)
      const parsed = parseYaml(text)
      assert.deepEqual(parsed.problems, [])
      assert.equal(JSON.stringify(parsed.value), JSON.stringify(value))
      for (const [index, name] of Object.keys(value).entries())
        assert.equal(parsed.locate(toPointer([name])).line, index + 2)
    }),
  )
})

const corpus = process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../shared')
test(
  'every public API description is read without a problem',
  { skip: existsSync(corpus) ? false : `${corpus} is missing` },
  () => {
    const files = globSync('corpus/**/*.dadl', { cwd: corpus })
    assert.ok(files.length > 10)
    for (const file of files) assert.deepEqual(codes(readFileSync(join(corpus, file), 'utf8')), [], file)
  },
)

function lines(count: number, line: (index: number) => string): string {
  return ['a0: &a0 [x]', ...Array.from({ length: count }, (_, index) => line(index + 1))].join('\n')
}

function codes(text: string): readonly string[] {
  return [...new Set(parseYaml(text).problems.map(({ code }) => code))]
}
