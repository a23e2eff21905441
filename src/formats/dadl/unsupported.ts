// What a tool may need that this version does not do. Such a tool is listed and documented, and a call of it is denied: a
// result that was not reduced, redacted or paged as its author said is not the result.
import * as z from 'zod'
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
  const contentType = contentTypeOf(tool, defaults)
  if (hasBody && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType))
    return `bodies of the type ${contentType}`
  if (hasBody && (tool.method === 'GET' || tool.method === 'HEAD')) return `bodies of ${tool.method} requests`
  const nests = tool.nest_body_keys ?? defaults.nest_body_keys ?? false
  if (nests && Object.keys(tool.params ?? {}).some(name => name.includes('.'))) return 'nest_body_keys'
  return pagesAlone(tool, defaults) ? 'pagination with behavior: auto' : undefined
}

/** Of the body; `content_type` of the tool, else of the document (DADL spec 4, 6). */
export function contentTypeOf(tool: ToolSection, defaults: Defaults): string {
  return tool.content_type ?? defaults.content_type ?? 'application/json'
}

/** The caller would take the first page for all of it; with `expose` one page is what the author promised (ruling DADL 17). */
function pagesAlone({ method, pagination }: ToolSection, defaults: Defaults): boolean {
  const effective = pagination ?? defaults.pagination
  return method === 'GET' && PAGES_ALONE.safeParse(effective).success
}

const PAGES_ALONE = z.looseObject({ strategy: z.string(), behavior: z.literal('auto') })
