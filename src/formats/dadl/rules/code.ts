// What the code of composites does, as far as reading it tells (DADL spec 12.3, 12.4, 15.2).
import { scanComposite } from '../composite-code.ts'
import { compositeAt } from './places.ts'
import type { Rule } from './rule.ts'

export const compositeCode: Rule = ({ document, names, error, warn }) => {
  for (const [name, { code }] of Object.entries(document.backend.composites ?? {}))
    for (const { code: problem, severity, message, line, column } of scanComposite(code, names)) {
      const report = severity === 'error' ? error : warn
      report(problem, `${compositeAt(name)}/code`, { message, within: { text: code, line, column } })
    }
}
