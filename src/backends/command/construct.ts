import type { Values } from '../../core/tool.ts'
import type { CommandBinding, SimpleToken } from './binding.ts'
import { expand } from './expand.ts'

/** One entry of an argv; where the output file lies is known only when the call runs. */
export type Entry = string | typeof OUTPUT_FILE

export const OUTPUT_FILE = Symbol('{_output_file}')

export interface Constructed {
  /** Without the program. */
  readonly args: readonly Entry[]
  /** What an executor gets instead. */
  readonly variables: Readonly<Record<string, string>>
}

export interface Injected {
  readonly scan_id: string
  readonly evidence_dir: string
}

/** What of a binding counts for one call. */
export interface Selection {
  readonly tokens: readonly SimpleToken[]
  readonly variables: NonNullable<CommandBinding['variables']>
  readonly values: Values
  /** The values of the arguments that are paths. */
  readonly paths: ReadonlyMap<string, string>
}

export function select({ argv: [, ...written], variables = [] }: CommandBinding, values: Values): Selection {
  const tokens = expand(written, values)
  const named = [
    ...tokens.flatMap(token => ('value' in token && token.path === true ? token.value : [])),
    ...variables.flatMap(({ value, path }) => (path === true ? value : [])),
  ]
  const paths = named.flatMap((name): readonly (readonly [string, string])[] => {
    const value = textOf(values, name)
    return value === undefined ? [] : [[name, value]]
  })
  return { tokens, variables, values, paths: new Map(paths) }
}

/** Each token is one entry or none; a value is never split or looked at again. `pathOf`: where a path argument leads. */
export function construct(
  { tokens, variables, values }: Selection,
  { injected, pathOf }: { readonly injected: Injected; readonly pathOf: (argument: string) => string | undefined },
): Constructed {
  const entryOf = (name: string, isPath: boolean): string | undefined => (isPath ? pathOf(name) : textOf(values, name))
  const args: Entry[] = []
  let optionsEnded = false
  for (const token of tokens) {
    if ('injected' in token) args.push(token.injected === 'output_file' ? OUTPUT_FILE : injected[token.injected])
    else if ('literal' in token) args.push(token.literal)
    else {
      const entry = entryOf(token.value, token.path === true)
      if (entry === undefined) continue
      if (token.afterOptions === true && !optionsEnded) args.push('--')
      optionsEnded ||= token.afterOptions === true
      args.push(entry)
    }
  }
  const environment: Record<string, string> = {}
  for (const { name, value, path } of variables) {
    const entry = entryOf(value, path === true)
    if (entry !== undefined) environment[name] = entry
  }
  return { args, variables: environment }
}

/** Nothing for an absent value. */
function textOf(values: Values, name: string): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The argv as it runs; without a place for the output file, as it is shown. */
export function toArgv(argv0: string, args: readonly Entry[], outputFile = '{_output_file}'): readonly string[] {
  return [argv0, ...args.map(entry => (entry === OUTPUT_FILE ? outputFile : entry))]
}
