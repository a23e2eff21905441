import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { splitWords } from './words.ts'

const texts = (text: string): readonly string[] | string => {
  const split = splitWords(text)
  return split.ok ? split.words.map(word => word.text) : split.message
}

describe('a command line', () => {
  const cases: readonly (readonly [string, readonly string[] | string])[] = [
    ['', []],
    ['  a  b\tc\n', ['a', 'b', 'c']],
    [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
    [`a'b'"c"d`, ['abcd']],
    [`'' ""`, ['', '']],
    [String.raw`a\ b \"`, ['a b', '"']],
    [String.raw`"a\"b\c\\d"`, [String.raw`a"b\c\d`]],
    [String.raw`'a\'`, ['a\\']],
    ['$HOME `id` $(id) * ~ #x', ['$HOME', '`id`', '$(id)', '*', '~', '#x']],
    ["'a", "a ' is not closed"],
    ['"a', 'a " is not closed'],
    ['a\\', 'it ends in a backslash'],
  ]
  for (const [text, want] of cases) test(JSON.stringify(text), () => assert.deepEqual(texts(text), want))

  test('is split as a real shell splits what a shell leaves alone (property)', () => {
    const piece = fc.constantFrom('a', 'b', ' ', '  ', "'", '"', '\\', '{x}', '-')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const text = pieces.join('')
        const split = splitWords(text)
        if (!split.ok) return
        const shown = execFileSync('/bin/sh', ['-c', `printf '%s\\0' start ${text}`], { encoding: 'utf8' })
        assert.deepEqual(
          split.words.map(word => word.text),
          shown.split('\0').slice(1, -1),
        )
      }),
      { numRuns: 60 },
    )
  })
})
