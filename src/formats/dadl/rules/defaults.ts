// A default is sent like an argument, so it is judged like one, but at load: the caller could do nothing about it.
import { toPointer } from '../../../lib/pointer.ts'
import { parametersOf, parametersOfComposite } from '../parameters.ts'
import { compileValidate } from '../params.ts'
import type { Parameter } from '../params.ts'
import { compositeAt, toolAt } from './places.ts'
import type { Rule } from './rule.ts'

export const defaults: Rule = ({ document, error }) => {
  const { tools, composites = {} } = document.backend
  const judge = (parameters: readonly Parameter[], at: string): void => {
    for (const parameter of parameters) {
      if (parameter.default === undefined) continue
      const judged = compileValidate([parameter])({})
      if (judged.ok) continue
      const path = `${at}/params${toPointer([parameter.name])}/default`
      error('wrong_type', path, `the default of ${judged.refusals[0]?.message}`)
    }
  }
  for (const [name, section] of Object.entries(tools)) judge(parametersOf(document, section), toolAt(name))
  for (const [name, section] of Object.entries(composites)) judge(parametersOfComposite(section), compositeAt(name))
}
