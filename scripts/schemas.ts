// Writes the JSON Schemas that editors check files against (then: oxfmt schemas); `schemas.test.ts` holds the checked-in
// files fresh.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { CONFIG_SCHEMA } from '../src/config/schema.ts'
import { DOCUMENT } from '../src/formats/dadl/schema/document.ts'

export const SCHEMA_FOLDER = join(import.meta.dirname, '..', 'schemas')

/** By file name. Draft 7, because the YAML plug-ins of editors read no later one. */
export function generatedSchemas(): ReadonlyMap<string, unknown> {
  const options = { io: 'input', target: 'draft-7' } as const
  return new Map<string, unknown>([
    ['dadl-v0.2.schema.json', z.toJSONSchema(DOCUMENT, options)],
    ['sallyport.schema.json', z.toJSONSchema(CONFIG_SCHEMA, options)],
  ])
}

if (import.meta.main) {
  mkdirSync(SCHEMA_FOLDER, { recursive: true })
  for (const [name, schema] of generatedSchemas())
    writeFileSync(join(SCHEMA_FOLDER, name), `${JSON.stringify(schema, undefined, 2)}\n`)
}
