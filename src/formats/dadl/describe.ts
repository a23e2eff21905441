import type { Tool } from '../../core/tool.ts'
import { paginationOf } from './effective.ts'
import type { Document } from './schema/document.ts'
import type { ToolSection } from './schema/tool.ts'
import { resolveSchema } from './types.ts'

type Described = Pick<Tool, 'description' | 'hints' | 'dependsOn'>

/** What endpoints and composites say alike: hints are part of the description (DADL spec 4.2, 6). */
export function describe(
  { backend }: Document,
  name: string,
  section: { readonly description: string; readonly depends_on?: readonly string[] | undefined },
): Described {
  const hints = Object.hasOwn(backend.hints ?? {}, name) ? backend.hints?.[name] : undefined
  const topics = Object.entries(hints ?? {})
  const needed = section.depends_on ?? []
  return {
    description: [section.description, ...hintLines(topics)].join('\n'),
    ...(hints === undefined || topics.length === 0 ? {} : { hints }),
    ...(needed.length === 0 ? {} : { dependsOn: needed }),
  }
}

/** One line each, whatever a hint holds. */
function hintLines(topics: readonly (readonly [string, string | number | boolean])[]): readonly string[] {
  return topics.length === 0
    ? []
    : ['', 'Hints:', ...topics.map(([topic, hint]) => `- ${topic}: ${hint}`.replaceAll(/\s+/g, ' '))]
}

/** What an endpoint says of its result and of its future (DADL spec 6.5, 6.7, 7). */
export function describeResult(
  document: Document,
  section: ToolSection,
): Pick<Tool, 'returns' | 'deprecated' | 'paged'> {
  const { returns, deprecated = false, replaced_by: replacedBy } = section
  const known = new Set(Object.keys(document.backend.types ?? {}))
  const pagination = paginationOf(document, section)
  return {
    ...(returns === undefined ? {} : { returns: resolveSchema(returns, known).schema }),
    ...(deprecated === false && replacedBy === undefined
      ? {}
      : {
          deprecated: {
            ...(typeof deprecated === 'string' ? { reason: deprecated } : {}),
            ...(replacedBy === undefined ? {} : { replacedBy }),
          },
        }),
    ...(pagination === undefined || pagination.behavior === 'auto' ? {} : { paged: true }),
  }
}
