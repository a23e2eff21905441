// Retries, paging and the caller's own filter (DADL spec 7, 8, 9.2, 15.2; rulings DADL 16, 21, 24, 26).
import { errorBlocksOf, paginationsOf, responseOf } from '../effective.ts'
import { toPointer } from '../../../lib/pointer.ts'
import type { Pagination } from '../schema/response.ts'
import { toolAt } from './places.ts'
import type { Rule } from './rule.ts'

export const retries: Rule = ({ document, error, warn }) => {
  for (const { path, block } of errorBlocksOf(document)) {
    const { retry_on: again = [], terminal = [], retry_strategy: strategy } = block
    for (const [index, status] of again.entries()) {
      const at = `${path}/retry_on/${index}`
      if (terminal.includes(status)) error('retry_terminal_overlap', at, `${status} stands in retry_on and in terminal`)
      if (status >= 200 && status <= 299) warn('retry_on_2xx', at, `${status} is a success: it is never tried again`)
    }
    const backoff = strategy?.backoff ?? 'exponential'
    if (backoff !== 'exponential')
      warn('backoff_unknown', `${path}/retry_strategy/backoff`, {
        message: `"${backoff}" is run as exponential`,
        hint: 'exponential',
      })
  }
}

export const paging: Rule = ({ document, warn }) => {
  for (const { path, block } of paginationsOf(document)) {
    const missing = missingFrom(block)
    if (missing !== undefined) warn('pagination_incomplete', path, `pagination ${missing}`)
  }
}

function missingFrom({ strategy, request = {}, response = {}, behavior }: Pagination): string | undefined {
  const { cursor_param: cursor, page_param: page, offset_param: offset } = request
  switch (strategy) {
    case undefined:
      return 'has no strategy: it is ignored'
    case 'cursor':
      if (cursor === undefined) return 'with strategy: cursor needs request.cursor_param'
      return behavior === 'auto' && response.next_cursor === undefined
        ? 'with strategy: cursor and behavior: auto needs response.next_cursor'
        : undefined
    case 'page':
      return (page ?? cursor) === undefined ? 'with strategy: page needs request.page_param' : undefined
    case 'offset':
      return (offset ?? cursor) === undefined ? 'with strategy: offset needs request.offset_param' : undefined
    case 'link_header':
      return undefined
  }
}

/** A parameter that is called as the caller's filter would be takes its place (ruling DADL 21). */
export const ownFilter: Rule = ({ document, warn }) => {
  for (const [name, section] of Object.entries(document.backend.tools))
    if (Object.hasOwn(section.params ?? {}, '_jq') && responseOf(document, section).allow_jq_override === true)
      warn(
        'jq_shadowed',
        `${toolAt(name)}/params${toPointer(['_jq'])}`,
        'the parameter "_jq" takes the place of the filter that allow_jq_override allows',
      )
}
