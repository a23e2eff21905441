// References to types (DADL spec 6.5, 10, 15.2).
import { resolveSchema } from '../types.ts'
import { toolAt } from './places.ts'
import type { Rule } from './rule.ts'
import { suggesting } from './suggesting.ts'

export const types: Rule = ({ document, names, nearest, error }) => {
  const { types: declared = {}, tools } = document.backend
  const judge = (schema: unknown, at: string): void => {
    for (const { path, problem, name } of resolveSchema(schema, names.types).problems) {
      const meant = name === undefined ? undefined : nearest(name, names.types)
      error(name === undefined ? 'wrong_type' : 'type_unknown', at + path, suggesting(problem, meant))
    }
  }
  for (const [name, schema] of Object.entries(declared)) judge(schema, `/backend/types/${name}`)
  for (const [name, { returns }] of Object.entries(tools))
    if (returns !== undefined) judge(returns, `${toolAt(name)}/returns`)
  for (const name of Object.keys(declared))
    if (endless(name, declared))
      error(
        'type_unknown',
        `/backend/types/${name}`,
        `the type "${name}" is nothing but a reference that leads back to it`,
      )
}

/** A name for a name for itself describes nothing; a type that holds itself does. */
function endless(name: string, declared: Readonly<Record<string, object>>): boolean {
  const seen = new Set<string>()
  for (let at: string | undefined = name; at !== undefined && declared[at] !== undefined;) {
    if (seen.has(at)) return at === name
    seen.add(at)
    const target: unknown = Reflect.get(declared[at] ?? {}, '$ref')
    at = typeof target === 'string' ? /^#\/backend\/types\/(.+)$/.exec(target)?.[1] : undefined
  }
  return false
}
