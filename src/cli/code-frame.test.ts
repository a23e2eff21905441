import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Diagnostic } from '../core/diagnostic.ts'
import { codeFrame, problemLine } from './code-frame.ts'
import { plain } from './style.ts'

const PROBLEM: Diagnostic = {
  code: 'unknown_key',
  severity: 'error',
  message: 'unknown key "binry"',
  file: '/w/tools/x.clad.toml',
  line: 3,
  column: 3,
  path: '/tool/binry',
  hint: 'binary',
}
const TEXT = '[tool]\nname = "x"\n  binry = "wc"\n'

describe('a code frame', () => {
  test('shows the line with a caret under the word, and the hint', () => {
    assert.equal(
      codeFrame(PROBLEM, { style: plain, text: TEXT, file: 'tools/x.clad.toml' }),
      [
        'error[unknown_key]: unknown key "binry"',
        ' --> tools/x.clad.toml:3:3',
        '  |',
        '3 |   binry = "wc"',
        '  |   ^^^^^',
        '  = write binary',
      ].join('\n'),
    )
  })

  test('does without the text', () => {
    const { hint: _, ...problem } = PROBLEM
    assert.equal(
      codeFrame(problem, { style: plain }),
      'error[unknown_key]: unknown key "binry"\n --> /w/tools/x.clad.toml:3:3',
    )
  })

  const cases: readonly {
    readonly name: string
    readonly text: string
    readonly line: number
    readonly column: number
    readonly caret: string
  }[] = [
    { name: 'after tabs', text: '\t\tkey = 1', line: 1, column: 3, caret: '    ^^^' },
    { name: 'behind an escape sequence', text: 'a\u001b[2J b = 1', line: 1, column: 7, caret: '           ^' },
    { name: 'at the end of the line', text: 'a = ', line: 1, column: 5, caret: '    ^' },
    { name: 'at a quoted value', text: 'a = "b c"', line: 1, column: 5, caret: '    ^^^^^' },
    { name: 'in an empty line', text: '\n', line: 2, column: 1, caret: '^' },
    { name: 'beyond the line', text: 'ab', line: 1, column: 99, caret: '  ^' },
  ]
  for (const { name, text, line, column, caret } of cases)
    test(`points ${name}`, () => {
      const { hint: _, ...problem } = { ...PROBLEM, line, column }
      const frame = codeFrame(problem, { style: plain, text })
      assert.ok(!frame.includes('\u001b'))
      assert.equal(frame.split('\n').at(-1), `  | ${caret}`)
    })

  test('shows the part of a very long line that matters', () => {
    const text = `${'a'.repeat(10_000)} here ${'b'.repeat(10_000)}`
    const frame = codeFrame({ ...PROBLEM, line: 1, column: 10_002 }, { style: plain, text })
    assert.ok(frame.length < 500)
    const [code = '', caret = ''] = frame.split('\n').slice(3, 5)
    assert.equal(code.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1), 'here')
  })
})

test('a problem fits on one line, whatever its message holds', () => {
  const line = problemLine({ ...PROBLEM, message: 'a\nb\u001b' }, { style: plain, file: 'x' })
  assert.equal(line, 'x:3:3: error[unknown_key]: a\\nb\\u001b')
})
