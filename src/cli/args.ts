import { parseArgs } from 'node:util'
import { isJsonObject } from '../core/json.ts'
import type { JsonObject } from '../core/json.ts'
import { didYouMean, nearest } from '../lib/nearest.ts'

export interface Flag {
  /** What the value is, for help; a flag without one is on or off. */
  readonly value?: string
  readonly repeatable?: true
  readonly does: string
}

/** Every command takes these. */
export const GLOBAL_FLAGS = {
  format: { value: 'FORMAT', does: 'how results are printed; JSON goes to stdout alone' },
  json: { does: 'short for --format json' },
  config: { value: 'FILE', does: 'the configuration; its folder is the workspace' },
  state: { value: 'DIR', does: 'the state folder; .sallyport in the workspace by default' },
  help: { does: 'show this help' },
} as const satisfies Readonly<Record<string, Flag>>

/** The command line is wrong: nothing was done. Exit code 64. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** A parsed command line. */
export interface Args<Name extends string> {
  readonly operands: readonly string[]
  readonly format: string
  readonly has: (flag: Name) => boolean
  readonly value: (flag: Name) => string | undefined
  readonly values: (flag: Name) => readonly string[]
}

export interface CommandLineSpec<Name extends string> {
  readonly flags: Readonly<Record<Name, Flag>>
  readonly formats: readonly string[]
}

/** @throws UsageError */
export function parseCommandLine<Name extends string>(
  argv: readonly string[],
  { flags, formats }: CommandLineSpec<Name>,
): Args<Name> {
  const known: Readonly<Record<string, Flag>> = flags
  const { tokens } = parseArgs({ args: [...argv], options: optionsOf(known), strict: false, tokens: true })
  const given = new Map<string, string[]>()
  const operands: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    const { name, value } = readFlag(token, known)
    const values = given.get(name)
    if (values === undefined) given.set(name, [value])
    else if (known[name]?.repeatable === true) values.push(value)
    else throw new UsageError(`--${name} is given twice`)
  }
  return {
    operands,
    format: formatOf(given, formats),
    has: flag => given.has(flag),
    value: flag => given.get(flag)?.[0],
    values: flag => given.get(flag) ?? [],
  }
}

/** `k=v`, split at the first `=`, the rest verbatim. @throws UsageError */
export function parsePairs(pairs: readonly string[]): JsonObject {
  const seen = new Set<string>()
  const entries = pairs.map((pair): readonly [string, string] => {
    const at = pair.indexOf('=')
    if (at < 1) throw new UsageError(`--arg ${JSON.stringify(pair)}: expected NAME=VALUE`)
    const name = pair.slice(0, at)
    if (seen.has(name)) throw new UsageError(`--arg gives "${name}" twice`)
    seen.add(name)
    return [name, pair.slice(at + 1)]
  })
  return Object.fromEntries(entries)
}

/** The text of `--args`. @throws UsageError */
export function parseJsonArguments(text: string, source: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${source}: expected a JSON object; ${error instanceof Error ? error.message : String(error)}`)
  }
  if (isJsonObject(value)) return value
  throw new UsageError(`${source}: expected a JSON object, e.g. {"repo": "."}`)
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
}

function optionsOf(flags: Readonly<Record<string, Flag>>) {
  const options = Object.entries(flags).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  )
  return Object.fromEntries<{ readonly type: 'boolean' | 'string' }>(options)
}

function readFlag(token: OptionToken, flags: Readonly<Record<string, Flag>>): { name: string; value: string } {
  const name = token.rawName === '-h' ? 'help' : token.name
  const flag = token.rawName.startsWith('--') || name === 'help' ? flags[name] : undefined
  if (flag === undefined || !Object.hasOwn(flags, name)) throw unknownFlag(token.rawName, Object.keys(flags))
  if (flag.value === undefined && token.value !== undefined)
    throw new UsageError(`--${name} takes no value, found ${JSON.stringify(token.value)}`)
  if (flag.value !== undefined && token.value === undefined)
    throw new UsageError(`--${name} needs a value: ${flag.value}`)
  return { name, value: token.value ?? '' }
}

function unknownFlag(rawName: string, names: readonly string[]): UsageError {
  const meant = nearest(rawName.replace(/^-+/, ''), names)
  return new UsageError(`unknown flag ${rawName}${didYouMean(meant === undefined ? undefined : `--${meant}`)}`)
}

function formatOf(given: ReadonlyMap<string, readonly string[]>, formats: readonly string[]): string {
  const named = given.get('format')?.[0]
  if (given.has('json')) {
    if (named !== undefined && named !== 'json') throw new UsageError(`--json contradicts --format ${named}`)
    return 'json'
  }
  if (named === undefined || formats.includes(named)) return named ?? 'text'
  const meant = didYouMean(nearest(named, formats))
  throw new UsageError(`--format ${JSON.stringify(named)}: expected ${formats.join(', ')}${meant}`)
}
