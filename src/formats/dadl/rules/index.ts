import { compositeCode } from './code.ts'
import { suspiciousHints } from './hints.ts'
import { ownFilter, paging, retries } from './answers.ts'
import { declared, secondVersion } from './features-used.ts'
import { headers, idempotency, query } from './headers.ts'
import { defaults } from './defaults.ts'
import { health } from './health.ts'
import { jsonPaths } from './json-paths.ts'
import { baseUrl, paths, placeholders } from './paths.ts'
import { references, uniqueNames } from './references.ts'
import type { Rule } from './rule.ts'
import { requires, spec } from './spec.ts'
import { types } from './types.ts'
import { compositeTimeouts, durations, sizes } from './values.ts'

/** Every constraint of DADL spec 15.2 and the rulings that a schema cannot express. */
export const RULES: readonly Rule[] = [
  spec,
  requires,
  declared,
  secondVersion,
  baseUrl,
  paths,
  placeholders,
  headers,
  idempotency,
  query,
  references,
  uniqueNames,
  health,
  types,
  jsonPaths,
  retries,
  paging,
  ownFilter,
  defaults,
  durations,
  sizes,
  compositeTimeouts,
  compositeCode,
  suspiciousHints,
]
