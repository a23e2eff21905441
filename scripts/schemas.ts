// Writes the JSON Schemas that editors check files against (then: oxfmt schemas); `schemas.test.ts` holds the checked-in
// files fresh.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { CONFIG_SCHEMA } from '../src/config/schema.ts'

export const SCHEMA_FOLDER = join(import.meta.dirname, '..', 'schemas')

/** By file name. Draft 7, because the YAML plug-ins of editors read no later one. */
export function generatedSchemas(): ReadonlyMap<string, unknown> {
  return new Map([['sallyport.schema.json', z.toJSONSchema(CONFIG_SCHEMA, { io: 'input', target: 'draft-7' })]])
}

if (import.meta.main) {
  mkdirSync(SCHEMA_FOLDER, { recursive: true })
  for (const [name, schema] of generatedSchemas())
    writeFileSync(join(SCHEMA_FOLDER, name), `${JSON.stringify(schema, undefined, 2)}\n`)
}
