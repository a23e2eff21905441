import { z } from 'zod'
import { hasErrors } from '../core/diagnostic.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { didYouMean, nearest } from '../lib/nearest.ts'
import { toPointer } from '../lib/pointer.ts'
import { parseYaml } from '../lib/yaml.ts'
import type { YamlProblem } from '../lib/yaml.ts'
import { CONFIG_SCHEMA, NOT_YET } from './schema.ts'
import type { Config } from './schema.ts'

type ConfigCode =
  | 'syntax'
  | 'duplicate_key'
  | 'unknown_key'
  | 'unsupported'
  | 'missing_key'
  | 'wrong_type'
  | 'bad_value'

export interface LoadedConfig {
  /** Absent where there is an error. */
  readonly config?: Config
  readonly diagnostics: readonly Diagnostic<ConfigCode>[]
}

/** Reads the text of a `sallyport.yaml`: all its problems at once. An empty text is an empty configuration. */
export function loadConfig(text: string, file: string): LoadedConfig {
  const { value, problems, locate } = parseYaml(text)
  const written = problems.map(problem => ofYaml(problem, file))
  if (value === undefined || hasErrors(written)) return { diagnostics: written }
  const parsed = CONFIG_SCHEMA.safeParse(value ?? {}, { reportInput: true })
  if (parsed.success) return { config: parsed.data, diagnostics: [] }
  const diagnostics = parsed.error.issues
    .flatMap(ofIssue)
    .map(({ code, message, path, hint }): Diagnostic<ConfigCode> => {
      const problem = { code, severity: 'error', message, file, ...locate(path), path } as const
      return hint === undefined ? problem : { ...problem, hint }
    })
  return { diagnostics: diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column) }
}

interface Problem {
  readonly code: ConfigCode
  readonly message: string
  readonly path: string
  readonly hint?: string
}

function ofYaml({ code, message, position, path }: YamlProblem, file: string): Diagnostic<ConfigCode> {
  const known = code === 'duplicate_key' ? code : 'syntax'
  return { code: known, severity: 'error', message, file, ...position, path }
}

function ofIssue(issue: z.core.$ZodIssue): readonly Problem[] {
  const path = toPointer(issue.path.map(String))
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(key, issue.path.map(String)))
  if (issue.code === 'invalid_type') return [wrongType(TYPES[issue.expected] ?? issue.expected, issue.input, path)]
  if (issue.code === 'invalid_value') return [notListed(issue.values.map(String), issue.input, path)]
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  return [{ code: 'bad_value', message: `${nameOf(path)}: ${message}`, path }]
}

function wrongType(expected: string, input: unknown, path: string): Problem {
  if (input === undefined)
    return { code: 'missing_key', message: `${nameOf(path)} is missing: expected ${expected}`, path }
  return { code: 'wrong_type', message: `${nameOf(path)}: expected ${expected}, found ${found(input)}`, path }
}

function notListed(values: readonly string[], input: unknown, path: string): Problem {
  if (typeof input !== 'string') return wrongType(values.join(' or '), input, path)
  const meant = nearest(input, values)
  const message = `${nameOf(path)}: expected ${values.join(' or ')}, found ${found(input)}${didYouMean(meant)}`
  return withHint({ code: 'bad_value', message, path }, meant)
}

function unknownKey(key: string, section: readonly string[]): Problem {
  const path = toPointer([...section, key])
  const where = section.length === 0 ? '' : ` in ${section.join('.')}`
  if (NOT_YET[toPointer(section)]?.includes(key) === true)
    return { code: 'unsupported', message: `"${key}"${where} is not part of this version yet: leave it out`, path }
  const known = keysOf(section)
  const meant = nearest(key, known)
  const message = `unknown key "${key}"${where}${didYouMean(meant)}; expected one of ${known.join(', ')}`
  return withHint({ code: 'unknown_key', message, path }, meant)
}

/** The keys a section may hold. */
function keysOf(section: readonly string[]): readonly string[] {
  const schema = section.reduce<z.core.$ZodType | undefined>(memberOf, CONFIG_SCHEMA)
  const object = required(schema)
  return object instanceof z.ZodObject ? Object.keys(object.shape) : []
}

function memberOf(schema: z.core.$ZodType | undefined, key: string): z.core.$ZodType | undefined {
  const collection = required(schema)
  if (collection instanceof z.ZodRecord) return collection.valueType
  return collection instanceof z.ZodObject ? collection.shape[key] : undefined
}

function required(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema
}

function withHint(problem: Problem, meant: string | undefined): Problem {
  return meant === undefined ? problem : { ...problem, hint: meant }
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  object: 'a mapping of keys to values',
  string: 'text',
}

function nameOf(path: string): string {
  return path === '' ? 'the document' : path.slice(1).replaceAll('/', '.')
}

function found(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  const written = JSON.stringify(value)
  return typeof value === 'string' ? `the text ${written}` : written
}
