import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generatedSchemas, SCHEMA_FOLDER } from './schemas.ts'

for (const [name, schema] of generatedSchemas())
  test(`schemas/${name} is what the source says (else: node scripts/schemas.ts && oxfmt schemas)`, () => {
    const written: unknown = JSON.parse(readFileSync(join(SCHEMA_FOLDER, name), 'utf8'))
    assert.deepEqual(written, JSON.parse(JSON.stringify(schema)))
  })

test('schemas/ holds no file nobody writes', () => {
  assert.deepEqual(readdirSync(SCHEMA_FOLDER), [...generatedSchemas().keys()])
})
