import { ABSOLUTE_PATH } from '../spec.ts'
import { compileHygiene } from './hygiene.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType, Judged } from './type.ts'

/**
 * A relative path that cannot climb (ToolClad spec, Core Types; ruling 19). Judged as text only: where it leads is for the
 * backend, which alone sees the disk.
 */
export const path: ArgumentType = {
  name: 'path',
  json: 'string',
  constraints: [],
  compile: context => {
    const judgeHygiene = compileHygiene(context)
    const { allowHidden } = context.deployment
    return {
      judge: value =>
        value === '' ? refuse('empty', 'must not be empty') : (judgeHygiene(value) ?? judgePath(value, allowHidden)),
      schema: { type: 'string', minLength: 1 },
    }
  },
}

function judgePath(value: string, allowHidden: boolean): Judged {
  if (ABSOLUTE_PATH.test(value)) return refuse('absolute', 'must be a relative path')
  const components = value.split('/')
  if (components.includes('..')) return refuse('traversal', 'must not contain the component ".."')
  const hidden = allowHidden ? undefined : components.find(component => component.startsWith('.') && component !== '.')
  if (hidden !== undefined) return refuse('hidden', `must not lead through the hidden "${hidden}"`)
  return accept(value)
}
