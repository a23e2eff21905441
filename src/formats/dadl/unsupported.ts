// What a tool may need that this version does not do. Such a tool is listed and documented, and a call of it is denied: a
// result that was not reduced, redacted or paged as its author said is not the result.
import type { Auth, Defaults, Response, ToolSection } from './schema.ts'

/** Why a tool cannot be called; undefined where it can. */
export function unsupportedBy(tool: ToolSection, defaults: Defaults, auth: Auth | undefined): string | undefined {
  const { type = 'bearer' } = auth ?? {}
  if (!['bearer', 'apikey', 'api_key'].includes(type)) return `auth of the type "${type}"`
  const response: Response = tool.response ?? defaults.response ?? {}
  if (response.transform !== undefined) return 'response.transform (jq)'
  if (response.redact !== undefined || defaults.response?.redact !== undefined) return 'response.redact'
  if (response.type !== undefined || response.binary === true || response.streaming !== undefined)
    return 'files and streams'
  const parameters = Object.values(tool.params ?? {})
  if (parameters.some(({ type: kind }) => kind === 'file' || kind === 'file_url')) return 'file parameters'
  const hasBody = parameters.some(({ in: location }) => location === 'body')
  const contentType = tool.content_type ?? defaults.content_type ?? 'application/json'
  if (hasBody && !/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType)) return `bodies of the type ${contentType}`
  const nests = tool.nest_body_keys ?? defaults.nest_body_keys ?? false
  if (nests && Object.keys(tool.params ?? {}).some(name => name.includes('.'))) return 'nest_body_keys'
  return undefined
}
