import type { JsonObject } from '../../../core/json.ts'
import { compileWhole, isPortablePattern } from '../../../lib/regex.ts'
import { pathOf, readString } from '../section.ts'
import type { TypeContext } from './type.ts'

export interface Pattern {
  readonly source: string
  readonly test: (value: string) => boolean
  /** `{pattern}` where a JSON Schema validator would agree with us, else nothing. */
  readonly schema: JsonObject
}

/** The argument's `pattern`, which must match the whole value (ToolClad spec, Value Hygiene; ruling 10). */
export function readPattern({ argument, problems }: TypeContext): Pattern | undefined {
  const source = readString(argument, 'pattern')
  if (source === undefined) return undefined
  const compiled = compileWhole(source)
  if (!compiled.ok) {
    problems.error('pattern_invalid', pathOf(argument, 'pattern'), `the pattern is not valid: ${compiled.message}`)
    return undefined
  }
  const schema = isPortablePattern(source) ? { pattern: `^(?:${source})$` } : {}
  return { source, test: compiled.test, schema }
}
