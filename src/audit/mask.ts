import type { JsonValue } from '../core/json.ts'

/** Arguments of these names are never stored, at any depth; compared without case, `-` and `_`. */
const MASKED_NAMES: ReadonlySet<string> = new Set(
  [
    'password',
    'secret',
    'token',
    'api_key',
    'apikey',
    'access_token',
    'refresh_token',
    'authorization',
    'credential',
    'private_key',
    'client_secret',
    'cookie',
  ].map(bare),
)

const MASK = '[masked]'
const MAX_DEPTH = 32
const MAX_STRING = 4096
/** Of one record's arguments, in bytes of JSON. */
const MAX_BYTES = 24 * 1024
const TOO_DEEP = '[left out: nested too deeply]'
const TOO_MUCH = '[left out: the arguments are too large]'
const NO_JSON = '[left out: no JSON value]'

/**
 * Arguments as audit keeps them: masked by name, long texts cut, and bounded in depth and size; what is left out says so.
 * Takes whatever an embedder hands in, `undefined` and functions too: a call that cannot be recorded is no exit.
 */
export function maskArguments(args: unknown): JsonValue {
  return mask(args, 0, { left: MAX_BYTES })
}

/** A text of at most `max` characters; one that was cut says by how many. */
export function excerpt(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}[… ${text.length - max} more characters]`
}

interface Budget {
  left: number
}

function mask(value: unknown, depth: number, budget: Budget): JsonValue {
  if (typeof value === 'string') return within(budget, excerpt(value, MAX_STRING))
  if (value === null || typeof value === 'boolean') return within(budget, value)
  if (typeof value === 'number') return within(budget, Number.isFinite(value) ? value : NO_JSON)
  if (typeof value !== 'object') return within(budget, NO_JSON)
  if (depth >= MAX_DEPTH) return within(budget, TOO_DEEP)
  budget.left -= 3 // its brackets and a comma: a million empty lists are not free
  return Array.isArray(value) ? maskItems(value, depth, budget) : maskMembers(value, depth, budget)
}

function maskItems(value: readonly unknown[], depth: number, budget: Budget): JsonValue {
  const items: JsonValue[] = []
  for (const item of value) {
    if (budget.left <= 0) return [...items, TOO_MUCH]
    items.push(mask(item, depth + 1, budget))
  }
  return items
}

function maskMembers(value: object, depth: number, budget: Budget): JsonValue {
  const entries: [string, JsonValue][] = []
  for (const [name, item] of Object.entries(value)) {
    const shown = within(budget, excerpt(name, MAX_STRING))
    if (budget.left <= 0) {
      entries.push(['…', TOO_MUCH])
      break
    }
    entries.push([shown, MASKED_NAMES.has(bare(name)) ? within(budget, MASK) : mask(item, depth + 1, budget)])
  }
  return Object.fromEntries(entries)
}

/** The value, where its JSON still fits; the first that does not ends the budget. */
function within<T extends string | number | boolean | null>(budget: Budget, value: T): T | typeof TOO_MUCH {
  budget.left -= Buffer.byteLength(JSON.stringify(value)) + 1
  return budget.left > 0 ? value : TOO_MUCH
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}
