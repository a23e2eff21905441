// What a tool or composite takes, paging parameters included (DADL spec 6.1, 7; rulings DADL 12 and 16).
import type { JsonValue } from '../../core/json.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { authOf } from './auth.ts'
import { paginationOf } from './effective.ts'
import type { Parameter } from './params.ts'
import type { Document } from './schema/document.ts'
import type { Pagination } from './schema/response.ts'
import type { CompositeSection, Param, ToolSection } from './schema/tool.ts'

export function parametersOf(document: Document, section: ToolSection): readonly Parameter[] {
  const pagination = paginationOf(document, section)
  const paging = pagination === undefined ? [] : pagingParameters(pagination)
  const own = Object.entries(section.params ?? {}).map(([name, param]) => {
    const limit = name === pagination?.request?.limit_param ? pagination.request?.limit_default : undefined
    return { ...withPreset(toParameter(name, param), limit), in: param.in }
  })
  const taken = new Set(['', ...own.map(({ name }) => name), ...fixedQuery(document, section)])
  const added = paging.filter(({ name }) => !taken.has(name))
  // The limit, where page and limit go by one name.
  return [...own, ...new Map(added.map(parameter => [parameter.name, parameter])).values()]
}

/** What stands in the query already: the static part of the path, and the credential. */
function fixedQuery({ backend }: Document, { path }: ToolSection): readonly string[] {
  const [, ...fixed] = path.split('?')
  const auth = authOf(backend.auth)
  const secret = auth.type === 'secret' && auth.in === 'query' ? [auth.name] : []
  return [...new URLSearchParams(fixed.join('?')).keys(), ...secret]
}

/** `limit_default` counts where the parameter has no default of its own (ruling DADL 16). */
function withPreset(parameter: Parameter, preset: number | undefined): Parameter {
  if (preset === undefined || parameter.default !== undefined) return parameter
  if (parameter.type === 'string') return { ...parameter, default: `${preset}` }
  return parameter.type === 'integer' || parameter.type === 'number' ? { ...parameter, default: preset } : parameter
}

export function parametersOfComposite({ params = {} }: CompositeSection): readonly Parameter[] {
  return Object.entries(params).map(([name, param]) => toParameter(name, param))
}

function toParameter(
  name: string,
  { type, required, description, default: preset, ...place }: Omit<Param, 'in'>,
): Parameter {
  const value = asJson(preset)
  return {
    name,
    type,
    required: required === true || ('in' in place && place.in === 'path'),
    description: description ?? '',
    ...(value === undefined || value === null ? {} : { default: value }),
  }
}

/** With `auto` only the length of a page is a caller's; with `expose` which page is, too. */
function pagingParameters({ strategy, request = {}, behavior }: Pagination): readonly Parameter[] {
  const { cursor_param: cursor, page_param: page, offset_param: offset, limit_param: limit } = request
  const at = {
    cursor: { name: cursor, type: 'string', description: 'The cursor of the page; absent: the first page' },
    page: { name: page ?? cursor, type: 'integer', description: 'The number of the page' },
    offset: { name: offset ?? cursor, type: 'integer', description: 'How many items to pass over' },
    link_header: { name: undefined, type: 'string', description: '' },
  } as const
  const which = strategy === undefined || behavior === 'auto' ? undefined : at[strategy]
  const preset = request.limit_default
  return [
    ...(which?.name === undefined ? [] : [injected({ ...which, name: which.name })]),
    ...(limit === undefined
      ? []
      : [
          injected({
            name: limit,
            type: 'integer',
            description: 'The most items of a page',
            ...(preset === undefined ? {} : { default: preset }),
          }),
        ]),
  ]
}

function injected(parameter: Pick<Parameter, 'name' | 'type' | 'description' | 'default'>): Parameter {
  return { ...parameter, in: 'query', required: false }
}

export function asJson(value: unknown): JsonValue | undefined {
  return value === undefined ? undefined : parseJson(JSON.stringify(value))
}
