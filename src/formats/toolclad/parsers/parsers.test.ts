import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { MAX_CSV_CELLS, MAX_OUTPUT_DEPTH } from '../spec.ts'
import { PARSERS } from './index.ts'
import type { Parsed } from './parser.ts'

async function parse(name: string, output: string | Uint8Array): Promise<Parsed> {
  const parsed = await PARSERS.get(name)?.parse(typeof output === 'string' ? Buffer.from(output) : output)
  assert.ok(parsed !== undefined)
  return parsed
}

const xmlUnit = fc.constantFrom('<', '>', '/', 'a', ' ', '=', '"', '&', ';', '#', 'x', '!', '[', ']', '-', '?')
const csvUnit = fc.constantFrom('a', '1', ',', '|', '\t', '"', '\n', '\r', ' ')

describe('a parser', () => {
  for (const name of PARSERS.keys())
    test(`${name} never throws, and gives what JSON can say`, async () => {
      const outputs = fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.json().map(text => Buffer.from(text)),
        fc.string({ unit: xmlUnit, maxLength: 60 }).map(text => Buffer.from(`<a>${text}</a>`)),
        fc.string({ unit: csvUnit, maxLength: 60 }).map(text => Buffer.from(text)),
      )
      await fc.assert(
        fc.asyncProperty(outputs, async output => {
          const parsed = await parse(name, output)
          if (parsed.ok) assert.equal(typeof JSON.stringify(parsed.value), 'string')
          else assert.notEqual(parsed.message, '')
        }),
      )
    })

  test('csv reads back what RFC 4180 writes', async () => {
    const cell = fc.string({ unit: csvUnit, maxLength: 8 }).map(text => `q${text}`)
    const table = fc
      .integer({ min: 2, max: 4 })
      .chain(width => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }))
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom('\n', '\r\n'), async (rows, end) => {
        const names = (rows[0] ?? []).map((_, index) => `c${index}`)
        const text = [names, ...rows.map(row => row.map(quoted))].map(row => row.join(',') + end).join('')
        const want = rows.map(row => Object.fromEntries(names.map((name, index) => [name, row[index]])))
        assert.deepEqual(await parse('csv', text), { ok: true, value: want })
      }),
    )
  })

  test('csv fills in no more cells than it is allowed to', async () => {
    const columns = 2 ** 11
    const text = `${Array.from({ length: columns }, (_, index) => `c${index}`).join(',')}\n${'1\n'.repeat(MAX_CSV_CELLS / columns + 1)}`
    assert.match(JSON.stringify(await parse('csv', text)), /more than \d+ cells/)
  })

  test('csv does not forget a column named __proto__', async () => {
    assert.equal(JSON.stringify(await parse('csv', '__proto__\n1\n')), '{"ok":true,"value":[{"__proto__":1}]}')
  })

  test('xml reads back any text and attribute', async () => {
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 30 })
    const escaped = (value: string): string =>
      Array.from(value, character => `&#${character.codePointAt(0) ?? 0};`).join('')
    await fc.assert(
      fc.asyncProperty(text, text, async (attribute, body) => {
        const want = { '@a': attribute, ...(body.trim() === '' ? {} : { '#text': body.trim() }) }
        const parsed = await parse('xml', `<r a="${escaped(attribute)}">${escaped(body)}</r>`)
        assert.deepEqual(parsed, { ok: true, value: { r: want } })
      }),
    )
  })

  for (const [name, nest] of [
    ['json', (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)],
    ['jsonl', (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)],
    ['xml', (levels: number): string => '<a>'.repeat(levels) + '</a>'.repeat(levels)],
  ] as const)
    test(`${name} takes ${MAX_OUTPUT_DEPTH} levels and no more`, async () => {
      assert.ok((await parse(name, nest(MAX_OUTPUT_DEPTH))).ok)
      assert.match(JSON.stringify(await parse(name, nest(MAX_OUTPUT_DEPTH + 1))), /nested deeper than 256 levels/)
      assert.match(JSON.stringify(await parse(name, nest(100_000))), /nested deeper than 256 levels/)
    })

  test('xml keeps names that mean something to JavaScript as data', async () => {
    const parsed = await parse('xml', '<__proto__ __proto__="1"><constructor/><__proto__/></__proto__>')
    assert.equal(
      JSON.stringify(parsed),
      '{"ok":true,"value":{"__proto__":{"@__proto__":"1","constructor":{},"__proto__":{}}}}',
    )
  })
})
