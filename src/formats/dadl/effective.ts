// What counts for a tool: its own block replaces the one of `defaults` as a whole (DADL spec 6, override semantics).
import { toPointer } from '../../lib/pointer.ts'
import type { Document } from './schema/document.ts'
import type { Errors, Pagination, Response } from './schema/response.ts'
import type { ToolSection } from './schema/tool.ts'

export function responseOf({ backend }: Document, tool: ToolSection): Response {
  return tool.response ?? backend.defaults?.response ?? {}
}

export function errorsOf({ backend }: Document, tool: ToolSection): Errors {
  return tool.errors ?? backend.defaults?.errors ?? {}
}

/** Paging is a matter of GET, and of a block that says how (ruling DADL 16). */
export function paginationOf({ backend }: Document, tool: ToolSection): Pagination | undefined {
  const effective = tool.pagination ?? backend.defaults?.pagination
  if (tool.method !== 'GET' || effective === undefined || effective === 'none') return undefined
  return effective.strategy === undefined ? undefined : effective
}

export interface Block<T> {
  /** JSON Pointer. */
  readonly path: string
  readonly block: T
}

/** All blocks of one kind with their places: of defaults, then of the tools that have their own. */
export function responsesOf(document: Document): readonly Block<Response>[] {
  return blocks(document, 'response', ({ response }) => response)
}

export function errorBlocksOf(document: Document): readonly Block<Errors>[] {
  return blocks(document, 'errors', ({ errors }) => errors)
}

export function paginationsOf(document: Document): readonly Block<Pagination>[] {
  return blocks(document, 'pagination', ({ pagination }) => (pagination === 'none' ? undefined : pagination))
}

function blocks<T>(
  { backend }: Document,
  key: string,
  read: (from: Pick<ToolSection, 'response' | 'errors' | 'pagination'>) => T | undefined,
): readonly Block<T>[] {
  const places = [
    { at: '/backend/defaults', from: backend.defaults ?? {} },
    ...Object.entries(backend.tools).map(([name, from]) => ({ at: `/backend/tools${toPointer([name])}`, from })),
  ]
  return places.flatMap(({ at, from }) => {
    const block = read(from)
    return block === undefined ? [] : [{ path: `${at}/${key}`, block }]
  })
}
