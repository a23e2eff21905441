import type { Problem } from '../problems.ts'
import { RULES } from './index.ts'
import type { RuleContext } from './rule.ts'

/** All that the rules find. */
export function runRules(context: Omit<RuleContext, 'error' | 'warn'>): readonly Problem[] {
  const found: Problem[] = []
  const report =
    (severity: Problem['severity']): RuleContext['error'] =>
    (code, path, said) =>
      void found.push({ code, severity, path, ...(typeof said === 'string' ? { message: said } : said) })
  for (const rule of RULES) rule({ ...context, error: report('error'), warn: report('warning') })
  return found
}
