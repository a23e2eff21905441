import type { Refusal } from '../../core/outcome.ts'
import type { Tool, Values } from '../../core/tool.ts'
import type { CommandBinding } from './binding.ts'
import { expand } from './expand.ts'
import { resolvePath } from './paths.ts'
import type { PathRules } from './paths.ts'

/** One entry of an argv; where the output file lies is known only when the call runs. */
export type Entry = string | typeof OUTPUT_FILE

export const OUTPUT_FILE = Symbol('{_output_file}')

export interface Constructed {
  /** Without the program. */
  readonly args: readonly Entry[]
  /** What an executor gets instead. */
  readonly variables: Readonly<Record<string, string>>
  readonly refusals: readonly Refusal[]
}

export interface Injected {
  readonly scan_id: string
  readonly evidence_dir: string
}

/** Each token is one entry or none; a value is never split or looked at again. */
export async function construct(
  { argv: [, ...tokens], variables = [] }: CommandBinding,
  values: Values,
  { tool, injected, rules }: { readonly tool: Tool; readonly injected: Injected; readonly rules: PathRules },
): Promise<Constructed> {
  const refusals = new Map<string, Refusal>()
  /** A value as the program gets it: a path as where it leads; nothing for an absent or refused one. */
  const entryOf = async (name: string, isPath: boolean): Promise<string | undefined> => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (typeof value !== 'string' || !isPath) return typeof value === 'string' ? value : undefined
    const resolved = await resolvePath(name, value, rules)
    if (resolved.ok) return resolved.path
    const { argument, fence, message } = resolved
    refusals.set(name, { argument, fence, message })
    return undefined
  }
  const args: Entry[] = []
  let optionsEnded = false
  for (const token of expand(tokens, values)) {
    if ('injected' in token) args.push(token.injected === 'output_file' ? OUTPUT_FILE : injected[token.injected])
    else if ('literal' in token) args.push(token.literal)
    else {
      const entry = await entryOf(token.value, token.path === true)
      if (entry === undefined) continue
      if (token.afterOptions === true && !optionsEnded) args.push('--')
      optionsEnded ||= token.afterOptions === true
      args.push(entry)
    }
  }
  const environment: Record<string, string> = {}
  for (const { name, value, path } of variables) {
    const entry = await entryOf(value, path === true)
    if (entry !== undefined) environment[name] = entry
  }
  // In the order of the arguments, wherever these stand in the argv.
  const inOrder = tool.parameters.flatMap(({ name }) => refusals.get(name) ?? [])
  return { args, variables: environment, refusals: inOrder }
}

/** The argv as it runs; without a place for the output file, as it is shown. */
export function toArgv(argv0: string, args: readonly Entry[], outputFile = '{_output_file}'): readonly string[] {
  return [argv0, ...args.map(entry => (entry === OUTPUT_FILE ? outputFile : entry))]
}
