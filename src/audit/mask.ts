import { isJsonObject } from '../core/json.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'

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
/** Characters of one record's arguments. */
const MAX_TOTAL = 65_536
const TOO_DEEP = '[left out: nested too deeply]'
const TOO_MUCH = '[left out: the arguments are too large]'

/** Arguments as audit keeps them: masked by name, long texts cut, and bounded in depth and size; what is left out says so. */
export function maskArguments(args: JsonObject): JsonObject {
  const budget = { left: MAX_TOTAL }
  return maskObject(args, 0, budget)
}

interface Budget {
  left: number
}

function mask(value: JsonValue, depth: number, budget: Budget): JsonValue {
  if (typeof value === 'string') return cut(value, budget)
  if (typeof value !== 'object' || value === null) {
    budget.left -= 8
    return value
  }
  if (depth >= MAX_DEPTH) return TOO_DEEP
  if (isJsonObject(value)) return maskObject(value, depth, budget)
  const items: JsonValue[] = []
  for (const item of value) {
    if (budget.left <= 0) return [...items, TOO_MUCH]
    items.push(mask(item, depth + 1, budget))
  }
  return items
}

function maskObject(value: JsonObject, depth: number, budget: Budget): JsonObject {
  const entries: [string, JsonValue][] = []
  for (const [name, item] of Object.entries(value)) {
    if (budget.left <= 0) {
      entries.push(['…', TOO_MUCH])
      break
    }
    budget.left -= name.length
    entries.push([cut(name, budget), MASKED_NAMES.has(bare(name)) ? MASK : mask(item, depth + 1, budget)])
  }
  return Object.fromEntries(entries)
}

function cut(text: string, budget: Budget): string {
  budget.left -= Math.min(text.length, MAX_STRING)
  if (text.length <= MAX_STRING) return text
  return `${text.slice(0, MAX_STRING)}[… ${text.length - MAX_STRING} more characters]`
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}
