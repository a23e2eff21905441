import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { STRICT } from '../../format.ts'
import { openProblems } from '../problems.ts'
import { ARGUMENT } from '../schema.ts'
import { BIDI, CONTROL, METACHARACTER, QUOTE, WHITESPACE } from '../spec.ts'
import type { TomlTable } from '../../../lib/toml.ts'
import { TYPES } from './index.ts'
import type { CompiledType } from './type.ts'

const SETTINGS: Readonly<Record<string, readonly TomlTable[]>> = {
  string: [{}, { allow_leading_dash: true }, { allow_whitespace: true }, { pattern: '[a-z ]*' }],
  integer: [{}, { min: 1n, max: 64n, clamp: true }, { min: -5n, allow_leading_dash: true }],
  number: [{}, { min_float: 0, max_float: 1, clamp: true }, { min: -5n, allow_leading_dash: true }],
  regex_match: [{ pattern: '[a-z./]*' }],
  enum: [{ allowed: ['a', '-b', 'c d'] }],
}

function compile(name: string, settings: TomlTable): CompiledType {
  const type = TYPES.get(name)
  assert.ok(type !== undefined)
  const argument = { rows: ARGUMENT, table: { type: name, ...settings }, path: '/args/x' }
  return type.compile({ name: 'x', argument, whitespaceCounts: true, deployment: STRICT, problems: openProblems() })
}

/** Anything, and what is near to each type's values. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.bigInt().map(String),
  fc
    .array(
      fc.constantFrom(
        'a',
        '.',
        '..',
        '/',
        '-',
        '+',
        '0',
        '9',
        ' ',
        'true',
        'C:',
        '\\',
        '\0',
        '\uD800',
        '1e3',
        '5m',
        '1h',
        'set A b',
        ';',
      ),
    )
    .map(parts => parts.join('')),
)

for (const name of TYPES.keys())
  for (const settings of SETTINGS[name] ?? [{}])
    describe(`the type ${name} ${Object.keys(settings).join(' ')}`, () => {
      const { judge } = compile(name, settings)

      it('judges every text, and its canonical value is its own', () => {
        fc.assert(
          fc.property(anyText, text => {
            const judged = judge(text)
            if (judged.ok) assert.deepEqual(judge(judged.value), judged)
            else assert.notEqual(judged.message, '')
          }),
        )
      })

      it('lets no character through that its fences name', () => {
        fc.assert(
          fc.property(anyText, text => {
            const judged = judge(text)
            if (!judged.ok || name === 'enum' || name === 'msf_options') return
            for (const fence of [CONTROL, BIDI, QUOTE, METACHARACTER]) assert.doesNotMatch(judged.value, fence)
            if (settings['allow_whitespace'] !== true) assert.doesNotMatch(judged.value, WHITESPACE)
            if (settings['allow_leading_dash'] !== true) assert.doesNotMatch(judged.value, /^[-+]/)
            assert.ok(judged.value.isWellFormed())
          }),
        )
      })

      it('shows a JSON Schema that refuses nothing it accepts', () => {
        const { schema } = compile(name, settings)
        fc.assert(
          fc.property(anyText, text => {
            if (schema['type'] !== 'string' || !judge(text).ok) return
            if (typeof schema['pattern'] === 'string') assert.match(text, new RegExp(schema['pattern'], 'u'))
            if (typeof schema['minLength'] === 'number') assert.ok(text.length >= schema['minLength'])
            if (Array.isArray(schema['enum'])) assert.ok(schema['enum'].includes(text))
          }),
        )
      })
    })
