import { compileHygiene } from './hygiene.ts'
import { judgeHostOrRange, policyOf } from './host.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType } from './type.ts'

/** A host name, an address or a range, passed on as written (ToolClad spec, Core Types; reference/toolclad.md 2.5). */
export const scopeTarget: ArgumentType = {
  name: 'scope_target',
  json: 'string',
  constraints: [],
  compile: context => {
    const judgeHygiene = compileHygiene(context)
    const policy = policyOf(context)
    return {
      judge: value => {
        if (value === '') return refuse('empty', 'must not be empty')
        const refused = judgeHygiene(value) ?? judgeHostOrRange(value, policy)
        return refused ?? accept(value)
      },
      schema: { type: 'string', minLength: 1 },
    }
  },
}
