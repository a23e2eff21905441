// What a tool may need that this version does not do. Such a tool is listed and documented, and a call of it is denied: a
// result that was not reduced, redacted or paged as its author said is not the result.
import { paginationOf, responseOf } from './effective.ts'
import type { Defaults, Document } from './schema/document.ts'
import type { ToolSection } from './schema/tool.ts'
import { NO_CREDENTIAL } from './spec.ts'

/** Why a tool cannot be called; undefined where it can. */
export function unsupportedBy(tool: ToolSection, document: Document): string | undefined {
  const { auth, defaults = {} } = document.backend
  if (auth.type !== 'bearer' && auth.type !== 'apikey' && auth.type !== 'api_key')
    return `auth of the type "${auth.type}"`
  if (auth.inject_into === 'query' && (auth.query_param ?? '') === '' && auth.credential !== NO_CREDENTIAL)
    return 'auth with inject_into: query and no query_param'
  const response = responseOf(document, tool)
  if (response.transform !== undefined) return 'response.transform (jq)'
  if (response.type !== undefined || response.binary === true || response.streaming !== undefined)
    return 'files and streams'
  const parameters = Object.values(tool.params ?? {})
  if (parameters.some(({ type: kind }) => kind === 'file_url')) return 'file parameters'
  const hasBody = parameters.some(({ in: location }) => location === 'body')
  const contentType = contentTypeOf(tool, defaults)
  if (hasBody && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType))
    return `bodies of the type ${contentType}`
  if (hasBody && (tool.method === 'GET' || tool.method === 'HEAD')) return `bodies of ${tool.method} requests`
  const nests = tool.nest_body_keys ?? defaults.nest_body_keys ?? false
  if (nests && Object.keys(tool.params ?? {}).some(name => name.includes('.'))) return 'nest_body_keys'
  // The caller would take the first page for all of it; with `expose` one page is what the author promised (ruling DADL 17).
  return paginationOf(document, tool)?.behavior === 'auto' ? 'pagination with behavior: auto' : undefined
}

/** Of the body; `content_type` of the tool, else of the document (DADL spec 4, 6). */
export function contentTypeOf(tool: ToolSection, defaults: Defaults): string {
  return tool.content_type ?? defaults.content_type ?? 'application/json'
}
