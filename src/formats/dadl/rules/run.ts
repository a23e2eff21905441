import { fewNearest } from '../few-nearest.ts'
import type { Problem } from '../problems.ts'
import { RULES } from './index.ts'
import type { RuleContext } from './rule.ts'

const MAX_SUGGESTIONS = 20

/** All that the rules find. */
export function runRules(context: Omit<RuleContext, 'nearest' | 'error' | 'warn'>): readonly Problem[] {
  const found: Problem[] = []
  const report =
    (severity: Problem['severity']): RuleContext['error'] =>
    (code, path, said) =>
      void found.push({ code, severity, path, ...(typeof said === 'string' ? { message: said } : said) })
  const nearest = fewNearest(MAX_SUGGESTIONS)
  for (const rule of RULES) rule({ ...context, nearest, error: report('error'), warn: report('warning') })
  return found
}
