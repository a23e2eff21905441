// `[command] executor`: a wrapper of the author's that gets the arguments in its environment (reference 3.8; rulings 3 to 5).
import type { Token, Variable } from '../../backends/command/binding.ts'
import type { Argument } from './arguments.ts'
import type { Problems } from './problems.ts'
import type { COMMAND } from './schema.ts'
import { hasKey, pathOf, readString } from './section.ts'
import type { Section } from './section.ts'
import { ARGUMENT_VARIABLE, EMBEDDED_PLACEHOLDER, NUL, PATH_TYPES } from './spec.ts'

/** The argv of an executor is its path alone, as written; the backend resolves it against the manifest's folder. */
export function readExecutor(command: Section<typeof COMMAND>, problems: Problems): readonly Token[] {
  const path = readString(command, 'executor')
  const at = pathOf(command, 'executor')
  if (path === undefined) return []
  if (path === '') problems.error('bad_argv0', at, 'executor must be the path of a program')
  else if (path.includes(NUL)) problems.error('wrong_type', at, 'executor cannot hold NUL')
  else if (EMBEDDED_PLACEHOLDER.test(path))
    problems.error('bad_argv0', at, 'the program must be fixed by the manifest, so executor cannot hold a placeholder')
  for (const key of ['mappings', 'conditionals', 'end_of_options'] as const)
    if (hasKey(command, key))
      problems.warning('unused_key', pathOf(command, key), `"${key}" has no effect: an executor gets no argv entries`)
  return [{ literal: path }]
}

export function toVariables(args: readonly Argument[], problems: Problems): readonly Variable[] {
  const seen = new Map<string, string>()
  return args.map(({ name: value, type }) => {
    const name = ARGUMENT_VARIABLE + value.toUpperCase()
    const other = seen.get(name)
    if (other !== undefined)
      problems.error('bad_name', `/args/${value}`, `the arguments "${other}" and "${value}" would both be ${name}`)
    seen.set(name, value)
    return { name, value, ...(PATH_TYPES.includes(type.name) ? { path: true } : {}) }
  })
}
