// The health check (DADL spec 4.6; ruling DADL 26).
import { compositeAt, toolAt } from './places.ts'
import type { Rule } from './rule.ts'
import { suggesting } from './suggesting.ts'

export const health: Rule = ({ document, names, nearest, error, warn }) => {
  const { health: check, tools } = document.backend
  if (names.tools.has('health') || names.composites.has('health'))
    if (check?.expose !== false)
      warn(
        'health_tool',
        names.tools.has('health') ? toolAt('health') : compositeAt('health'),
        '"health" is what the check itself is called as; this one is called instead (expose: false says that this is meant)',
      )
  if (check === undefined) return
  if (!('tool' in check)) {
    const { method = 'GET' } = check
    if (method !== 'GET' && method !== 'HEAD')
      warn('health_method', '/backend/health/method', `health.method: a check changes nothing, and ${method} might`)
    return
  }
  const at = '/backend/health/tool'
  if (!names.tools.has(check.tool)) {
    const meant = nearest(check.tool, names.tools)
    error('health_tool', at, suggesting(`health.tool: the document has no tool "${check.tool}"`, meant))
    return
  }
  const { params = {}, method } = tools[check.tool] ?? {}
  const needed = Object.entries(params).filter(
    ([, param]) => param.default === undefined && (param.required === true || param.in === 'path'),
  )
  if (needed.length > 0)
    error(
      'health_tool',
      at,
      `health.tool: "${check.tool}" has required parameters: ${needed.map(([name]) => name).join(', ')}`,
    )
  if (method !== undefined && method !== 'GET' && method !== 'HEAD')
    warn('health_method', at, `health.tool: a check changes nothing, and ${method} might`)
}
