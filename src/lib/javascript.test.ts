import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseFunctionBody } from './javascript.ts'

function javascriptOf(text: string): string {
  const parsed = parseFunctionBody(text)
  assert.ok(parsed.ok, text)
  return parsed.javascript
}

function problemOf(text: string): string {
  const parsed = parseFunctionBody(text)
  assert.ok(!parsed.ok, `${text.slice(0, 60)} was read`)
  const [first] = parsed.problems
  return `${first?.position.line}:${first?.position.column} ${first?.message}`
}

test('the body of an async function is read as it stands', () => {
  for (const text of [
    '',
    'return 1',
    'await x',
    'const { a, ...b } = await x?.y(); return { ...b, a }',
    // As TypeScript this would be one call with a type argument.
    'return f(a < b, c > (d))',
  ])
    assert.equal(javascriptOf(text), text)
})

test('types are taken away and everything else stays where it was', () => {
  for (const [text, javascript] of [
    ['const a: number = 1', 'const a         = 1'],
    ['interface A { b: C }\nreturn x as A', '                    \nreturn x     '],
    ['return x!.y satisfies Z', 'return x .y            '],
    ['const f = <T,>(x: T): Promise<T> => g<T>(x)', 'const f =     (x   )             => g   (x)'],
  ] as const)
    assert.equal(javascriptOf(text), javascript)
  for (const text of ['let a: "é€🙂" = b; return "é€🙂" as any', 'type 𝒳 = 1; let 𝒳: 𝒳 = 1'])
    assert.equal(javascriptOf(text).length, text.length)
})

test('what is no JavaScript is refused where it stands', () => {
  for (const [text, problem] of [
    ['const x = ;', '1:11 Unexpected token'],
    ['const a: number = 1\n  const x = ;', '2:13 Unexpected token'],
    ['}); f(); (() => {', '1:1 Unexpected token'],
    ['return 1 } async function g() { return 2', '1:10 Unexpected token'],
    ['x(', '1:3 Unexpected token'],
    ['"a', '1:1 Unterminated string constant'],
    ['\n/* a', '2:1 Unterminated comment'],
    ['#!/bin/sh', '1:2 Unexpected character'],
  ] as const)
    assert.ok(problemOf(text).startsWith(problem), problemOf(text))
})

test('TypeScript that is more than types is refused with what to write instead', () => {
  for (const [text, problem] of [
    ['\nenum A { B }', /^2:1 an enum is more than a type: use a constant object/],
    ['namespace A { const b = 1 }', /^1:1 a namespace/],
    ['class A { constructor(private b: number) {} }', /^1:23 a parameter property/],
    ['return <A>b', /^1:8 write `value as Type`/],
    ['@a class B {}', /^1:1 decorators/],
    ['import a = require("b")', /^1:1 `import =`/],
  ] as const)
    assert.match(problemOf(text), problem)
})

test('comments that only some ways of running a text know are refused', () => {
  assert.match(problemOf('x\n<!-- y'), /^2:1 comments are written/)
  assert.match(problemOf('x\n--> y'), /^2:1 comments are written/)
  assert.ok(parseFunctionBody('if (x <! --y) return "<!--" // <!--').ok)
})

test('what would take all the stack or all the time is refused, and the next text is read', () => {
  const bombs = [
    '('.repeat(30_000),
    `${'['.repeat(400)}${']'.repeat(400)}`,
    `${'a + '.repeat(5000)}a`,
    `${'a => '.repeat(3000)}a`,
    `${'<A>('.repeat(40)}a${')'.repeat(40)}`,
    `let x: any = ${'f<'.repeat(1000)}`,
    `let x: ${'A<'.repeat(400)}A${'>'.repeat(400)}`,
    `let x: any; ${'if (a) '.repeat(4000)}b`,
    `let x: any; ${'{'.repeat(400)}${'}'.repeat(400)}`,
    'x'.repeat(70_000),
  ]
  for (const bomb of bombs) {
    assert.match(problemOf(bomb), /^1:\d+ /)
    assert.equal(javascriptOf('const a: 1 = 1'), 'const a    = 1')
  }
  assert.ok(parseFunctionBody(`return ${'a + '.repeat(200)}a`).ok)
})

test('no text is too strange to be answered, and what is run is as long as what was given', () => {
  const word = fc.constantFrom(
    ...'a b await return const let : ; , . ? ! < > ( ) { } [ ] = => + / ` ${ " \' as type class enum function async 1 \n é 🙂 \\u0061'.split(
      ' ',
    ),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(word).map(words => words.join(' ')),
      ),
      text => {
        const parsed = parseFunctionBody(text)
        if (parsed.ok) assert.equal(parsed.javascript.length, text.length)
        else {
          const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
          for (const { position } of parsed.problems) {
            assert.ok(position.line >= 1 && position.line <= lines.length)
            assert.ok(position.column >= 1 && position.column <= (lines[position.line - 1]?.length ?? 0) + 1)
          }
        }
      },
    ),
    { numRuns: 500 },
  )
})
