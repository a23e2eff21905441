// The schema's complaints in our words: what was expected, what was found, the nearest valid spelling.
import * as z from 'zod'
import { fewNearest } from './few-nearest.ts'
import type { Nearest } from './few-nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import type { Problem } from './problems.ts'

type Path = readonly (string | number)[]

export type Issue =
  | { readonly kind: 'unknown_key'; readonly path: Path; readonly key: string; readonly hint: string | undefined }
  | { readonly kind: 'problem'; readonly path: Path; readonly problem: Problem }

export type Judged<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Holds a value against a schema; of a union, the complaints are those of the branch that was meant. */
export function judge<T>(schema: z.ZodType<T>, value: unknown): Judged<T> {
  const read = schema.safeParse(value, { error: knownKeys })
  if (read.success) return { ok: true, value: read.data }
  const run = { root: value, nearest: fewNearest(MAX_SUGGESTIONS) }
  return { ok: false, issues: read.error.issues.flatMap(issue => translate(issue, [], run)) }
}

/** A complaint about unknown keys knows nothing of the known ones; the schema does, and the message brings them along. */
function knownKeys(issue: z.core.$ZodRawIssue): string | undefined {
  const { code, inst } = issue
  return code === 'unrecognized_keys' && inst instanceof z.ZodObject ? Object.keys(inst.shape).join(' ') : undefined
}

interface Run {
  readonly root: unknown
  readonly nearest: Nearest
}

const MAX_SUGGESTIONS = 50

function translate(issue: z.core.$ZodIssue, above: Path, run: Run): readonly Issue[] {
  const path = [...above, ...issue.path.map(step => (typeof step === 'number' ? step : String(step)))]
  if (issue.code === 'unrecognized_keys') {
    const known = issue.message.split(' ')
    return issue.keys.map(key => ({ kind: 'unknown_key', path, key, hint: run.nearest(key, known) }))
  }
  if (issue.code === 'invalid_union' && issue.discriminator === undefined) {
    const branch = usefulBranch(issue.errors)
    if (branch !== undefined) return branch.flatMap(inner => translate(inner, path, run))
  }
  const value = valueAt(run.root, path)
  const where = path.join('.')
  const at = { severity: 'error', path: toPointer(path) } as const
  if (value === undefined && issue.code !== 'invalid_key')
    return [{ kind: 'problem', path, problem: { ...at, code: 'missing_key', message: `${where}: this key is needed` } }]
  const { code, expected, hint } = complaint(issue, value, run)
  const found = code === 'wrong_type' ? kindOf(value) : foundValue(issue, value)
  const message = `${where}: expected ${expected}, found ${found}`
  return [{ kind: 'problem', path, problem: { ...at, code, message, ...(hint === undefined ? {} : { hint }) } }]
}

interface Complaint {
  readonly code: 'wrong_type' | 'unknown_value'
  readonly expected: string
  readonly hint?: string | undefined
}

function complaint(issue: z.core.$ZodIssue, value: unknown, run: Run): Complaint {
  if (issue.code === 'invalid_type') return { code: 'wrong_type', expected: typeWord(issue.expected, value) }
  if (issue.code === 'invalid_value') return oneOf(issue.values, value, run)
  if (issue.code === 'invalid_union') {
    if (issue.discriminator !== undefined) return oneOf('options' in issue ? (issue.options ?? []) : [], value, run)
    const words = issue.errors.flatMap(([first]) => (first === undefined ? [] : complaint(first, value, run).expected))
    return { code: typeof value === 'string' ? 'unknown_value' : 'wrong_type', expected: words.join(' or ') }
  }
  return { code: 'unknown_value', expected: limitWord(issue) }
}

function limitWord(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? 'another key'
  if (issue.code === 'too_small') return `at least ${atLeast(issue.origin, `${issue.minimum}`)}`
  return issue.code === 'too_big' ? `at most ${issue.maximum}` : issue.message
}

function oneOf(values: readonly unknown[], value: unknown, run: Run): Complaint {
  const words = values.filter(known => typeof known === 'string')
  const expected = words.length === 1 ? `"${words[0]}"` : `one of ${words.join(', ')}`
  if (typeof value !== 'string') return { code: 'wrong_type', expected }
  return { code: 'unknown_value', expected, hint: run.nearest(value, words) }
}

/** The branch that fails inside rather than as a whole, with the fewest complaints; none where all fail as a whole. */
function usefulBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  return branches
    .filter(issues => !issues.some(({ path, code }) => path.length === 0 && code !== 'unrecognized_keys'))
    .toSorted((a, b) => a.length - b.length)[0]
}

function atLeast(origin: string, minimum: string): string {
  if (origin === 'array') return `${minimum} entry`
  return origin === 'string' ? `${minimum} character` : minimum
}

function typeWord(expected: string, value: unknown): string {
  if (expected === 'string')
    return typeof value === 'number' || typeof value === 'boolean' ? 'text (write it in quotes)' : 'text'
  return TYPE_WORDS[expected] ?? expected
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
}

function foundValue(issue: z.core.$ZodIssue, value: unknown): string {
  const found = issue.code === 'invalid_key' ? issue.path.at(-1) : value
  return typeof found === 'string'
    ? `"${found.length > MAX_SHOWN ? `${found.slice(0, MAX_SHOWN)}…` : found}"`
    : kindOf(found)
}

const MAX_SHOWN = 60

/** What stands there, as a person would say it. */
export function kindOf(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'a map'
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : 'text'
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    const found: unknown = Reflect.get(value, step)
    return found
  }, root)
}
