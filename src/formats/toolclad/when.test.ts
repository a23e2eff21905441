import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { parseWhen } from './when.ts'

describe('a condition', () => {
  test('is groups of comparisons, of which one has to hold whole', () => {
    assert.deepEqual(parseWhen(`a=='x and y' and b!="" or c == 1.50`), {
      ok: true,
      anyOf: [
        [
          { name: 'a', equal: true, literal: 'x and y' },
          { name: 'b', equal: false, literal: '' },
        ],
        [{ name: 'c', equal: true, literal: '1.5' }],
      ],
    })
  })

  for (const [text, canonical] of [
    ['+5', '5'],
    ['-05', '-5'],
    ['1e3', '1000'],
    ['true', 'true'],
    [`'007'`, '007'],
    ['99999999999999999999', '99999999999999999999'],
  ] as const)
    test(`compares with ${text} as ${canonical}`, () => {
      const parsed = parseWhen(`a == ${text}`)
      assert.deepEqual(parsed.ok && parsed.anyOf[0]?.[0]?.literal, canonical)
    })

  for (const text of [
    '',
    'a',
    'a ==',
    '== 1',
    'a = 1',
    'a == b',
    '(a == 1)',
    'a == 1 and',
    'a == 1 xor b == 2',
    'a == 1 b == 2',
    'a < 1',
    'not a == 1',
    `a == 'x`,
    `a == "x'`,
    'a == 1; b == 2',
    '1 == a',
    'a == 0x10',
    'a == Infinity',
    `a == 'x'y`,
    'a == True',
    'a.b == 1',
  ])
    test(`is not ${JSON.stringify(text)}`, () => assert.equal(parseWhen(text).ok, false))

  test('of any names and texts is read back as it was written', () => {
    const comparison = fc.record(
      {
        name: fc.stringMatching(/^[A-Za-z_]\w{0,8}$/),
        equal: fc.boolean(),
        literal: fc.string({ unit: 'binary' }).map(text => text.replaceAll("'", '')),
      },
      { noNullPrototype: true },
    )
    const groups = fc.array(fc.array(comparison, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(groups, anyOf => {
        const text = anyOf
          .map(group =>
            group.map(({ name, equal, literal }) => `${name}${equal ? '==' : ' != '}'${literal}'`).join(' and '),
          )
          .join(' or ')
        assert.deepEqual(parseWhen(text), { ok: true, anyOf })
      }),
    )
  })
})
