import { Ajv2020 } from 'ajv/dist/2020.js'
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { isJsonObject } from '../core/json.ts'
import type { JsonValue } from '../core/json.ts'
import { isJsonArray } from './json-array.ts'
import { compileSchema } from './json-schema.ts'
import { isMultipleOf } from './multiple-of.ts'
import { parseJson } from './parse-json.ts'

const IGNORED = new Set(['title', 'description', '$comment', '$schema'])

function violation(schema: string, value: string): string | undefined {
  const compiled = compileSchema(parseJson(schema), IGNORED)
  assert.ok(compiled.ok)
  return compiled.check(parseJson(value))
}

describe('compileSchema', () => {
  const fits = [
    { name: '1.0 is an integer', schema: '{"type":"integer"}', value: '1.0' },
    { name: 'lengths count code points', schema: '{"maxLength":1}', value: '"😀"' },
    { name: 'inherited names are absent', schema: '{"properties":{"toString":false}}', value: '{}' },
    { name: 'a tenth is a multiple of a hundredth', schema: '{"multipleOf":0.01}', value: '0.1' },
  ]
  for (const { name, schema, value } of fits) it(name, () => assert.equal(violation(schema, value), undefined))

  const broken = [
    { schema: '{"properties":{"hosts":{"items":{"type":"string"}}}}', value: '{"hosts":["a",1]}', path: '$.hosts[1]' },
    { schema: '{"properties":{"a b":{"const":1}}}', value: '{"a b":2}', path: '$["a b"]' },
    { schema: '{"additionalProperties":false}', value: '{"x":1}', path: '$.x' },
    { schema: '{"required":["constructor"]}', value: '{}', path: '$' },
    { schema: '{"properties":{"__proto__":{"type":"number"}}}', value: '{"__proto__":"x"}', path: '$.__proto__' },
    { schema: 'false', value: '1', path: '$' },
  ]
  for (const { schema, value, path } of broken)
    it(`says where: ${path} of ${schema}`, () => assert.equal(violation(schema, value)?.split(': ')[0], path))

  const refused = [
    {
      name: 'unknown keywords, with the nearest',
      schema: '{"propertys":{}}',
      kind: 'keyword',
      path: '/propertys',
      hint: 'properties',
    },
    {
      name: 'unknown keywords below',
      schema: '{"items":{"$ref":"#"}}',
      kind: 'keyword',
      path: '/items/$ref',
      hint: undefined,
    },
    {
      name: 'a pattern no linear engine runs',
      schema: '{"pattern":"(?=a)"}',
      kind: 'pattern',
      path: '/pattern',
      hint: undefined,
    },
    { name: 'a wrong shape', schema: '{"anyOf":[]}', kind: 'shape', path: '/anyOf', hint: undefined },
    { name: 'a schema that is none', schema: '{"not":3}', kind: 'shape', path: '/not', hint: undefined },
  ]
  for (const { name, schema, kind, path, hint } of refused)
    it(`refuses ${name}`, () => {
      const compiled = compileSchema(parseJson(schema), IGNORED)
      assert.ok(!compiled.ok)
      assert.deepEqual(
        compiled.problems.map(problem => ({ kind: problem.kind, path: problem.path, hint: problem.hint })),
        [{ kind, path, hint }],
      )
    })

  it('stays linear for uniqueItems', () => {
    const items = Array.from({ length: 100_000 }, (_, i) => ({ i }))
    const compiled = compileSchema({ uniqueItems: true }, IGNORED)
    assert.ok(compiled.ok)
    assert.equal(compiled.check(items), undefined)
    assert.notEqual(compiled.check([...items, { i: 5 }]), undefined)
  })

  it('agrees with Ajv', () => {
    const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false })
    fc.assert(
      fc.property(schemas(), fc.json({ maxDepth: 2 }), (schema, text) => {
        const compiled = compileSchema(schema, IGNORED)
        assert.ok(compiled.ok)
        const value = parseJson(text)
        const input = isJsonObject(schema) ? { ...schema } : schema === true
        assert.equal(compiled.check(value) === undefined, ajv.validate(input, value), JSON.stringify({ schema, value }))
      }),
    )
  })
})

function schemas(): fc.Arbitrary<JsonValue> {
  const small = fc.nat({ max: 3 })
  const { node } = fc.letrec<{ node: JsonValue }>(tie => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.boolean(),
      fc.record(
        {
          type: fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'null', 'boolean'),
          enum: fc.array(fc.json({ maxDepth: 1 }).map(parseJson), { minLength: 1, maxLength: 3 }),
          minimum: small,
          exclusiveMaximum: small,
          minLength: small,
          maxItems: small,
          minProperties: small,
          uniqueItems: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ oneOf: fc.array(tie('node'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ items: tie('node'), not: tie('node') }, { requiredKeys: ['items'] }),
      fc.record({ properties: fc.record({ a: tie('node'), '': tie('node') }), additionalProperties: tie('node') }),
    ),
  }))
  return node
}

describe('isMultipleOf', () => {
  const cases = [
    { value: 0.0075, factor: 0.0001, want: true },
    { value: 0.00751, factor: 0.0001, want: false },
    { value: 1e308, factor: 0.123456789, want: false },
    { value: 1e-7, factor: 1e-8, want: true },
    { value: -6, factor: 3, want: true },
  ]
  for (const { value, factor, want } of cases)
    it(`${value} of ${factor}`, () => assert.equal(isMultipleOf(value, factor), want))
})

const corpus = join(
  process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../shared'),
  'corpus/json-schema',
)

describe('the JSON Schema test suite', { skip: existsSync(corpus) ? false : `${corpus} is not there` }, () => {
  if (!existsSync(corpus)) return
  for (const file of readdirSync(corpus).filter(name => name.endsWith('.json')))
    it(file, () => {
      const groups = parseJson(readFileSync(join(corpus, file), 'utf8'))
      assert.ok(isJsonArray(groups))
      let run = 0
      for (const group of groups) run += runGroup(group)
      assert.ok(run > 0)
    })
})

/** Groups with keywords outside the subset are left out, by keyword. */
function runGroup(group: JsonValue): number {
  assert.ok(isJsonObject(group) && isJsonArray(group['tests']))
  const compiled = compileSchema(group['schema'] ?? null, IGNORED)
  if (!compiled.ok) {
    const outside =
      /patternProperties|propertyNames|dependentSchemas|prefixItems|\$defs|\\p\{Letter\}|"enum" must be an array, not empty/
    for (const { message } of compiled.problems) assert.match(message, outside)
    return 0
  }
  for (const test of group['tests']) {
    assert.ok(isJsonObject(test))
    assert.equal(
      compiled.check(test['data'] ?? null) === undefined,
      test['valid'],
      `${JSON.stringify(group['description'])}: ${JSON.stringify(test['description'])}`,
    )
  }
  return group['tests'].length
}
