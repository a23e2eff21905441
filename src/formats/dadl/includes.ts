// Fragments (DADL spec 11.2): fragment, then document, then overrides, the last wins; lists are replaced, never joined.
import { isJsonObject } from '../../core/json.ts'
import type { LoadContext } from '../format.ts'
import { kindOf } from './issues.ts'
import { memberOf } from './layer.ts'
import type { Layer, Origin } from './layer.ts'
import type { Code, Problem } from './problems.ts'
import { INCLUDE } from './schema/document.ts'
import type { OpenLayer } from './source.ts'

/** Every one is read and parsed. */
const MAX_INCLUDES = 100

interface Node {
  readonly value: unknown
  readonly origin: Origin
}

interface Document {
  readonly value: object & { readonly includes?: unknown }
  readonly layer: Layer
  readonly readFile: LoadContext['readFile']
  readonly open: (text: string, file: string | undefined) => OpenLayer
}

export function mergeIncludes(document: Document): Node & { readonly problems: readonly Problem[] } {
  const { includes } = document.value
  const problems: Problem[] = []
  let node: Node = { value: document.value, origin: { layer: document.layer, path: '' } }
  for (const [index, entry] of (Array.isArray(includes) ? includes : []).entries()) {
    const include = INCLUDE.safeParse(entry)
    if (!include.success) continue // the schema says so, with all else that is wrong
    const at = `/includes/${index}`
    const error = (code: Code, key: string, message: string): void =>
      void problems.push({ code, severity: 'error', path: at + key, message })
    if (index >= MAX_INCLUDES) {
      error('unknown_value', '', `expected at most ${MAX_INCLUDES} fragments`)
      break
    }
    const { path, merge_into: target, overrides = {} } = include.data
    const fragment = readFragment(path, { document, problems, error })
    const steps = target.split('.')
    if (steps.some(step => step === '' || step === '__proto__'))
      error(
        'unknown_value',
        '/merge_into',
        `merge_into: expected names joined by ".", such as backend.auth, found "${target}"`,
      )
    else if (fragment !== undefined) {
      const own = { value: overrides, origin: { layer: document.layer, path: `${at}/overrides` } }
      const place = (found: Node | undefined): Node => {
        if (found === undefined || isJsonObject(found.value))
          return merge(found === undefined ? fragment : merge(fragment, found), own)
        const message = `merge_into: expected a map at ${target}, found ${kindOf(found.value)}`
        error('wrong_type', '/merge_into', message)
        return found
      }
      node = mergeAt(node, steps, place)
    }
  }
  return { ...node, problems }
}

interface Reading {
  readonly document: Document
  readonly problems: Problem[]
  readonly error: (code: Code, key: string, message: string) => void
}

function readFragment(path: string, { document, problems, error }: Reading): Node | undefined {
  if (isOutside(path)) {
    error('include_outside', '/path', `include "${path}": expected a path below the folder of the document`)
    return undefined
  }
  const found = document.readFile?.(path)
  if (found === undefined || 'unreadable' in found) {
    error('file_unreadable', '/path', found?.unreadable ?? `include "${path}": files cannot be read from here`)
    return undefined
  }
  if ('outside' in found) {
    error('include_outside', '/path', `include "${path}" leads out of the folder of the document`)
    return undefined
  }
  const { layer, value, problems: own } = document.open(found.text, found.file ?? path)
  problems.push(...own)
  if (own.some(({ severity }) => severity === 'error')) return undefined
  const refuse = (code: Code, key: string, message: string): undefined => {
    const { file } = layer
    const place = { ...layer.locate(key), path: key, ...(file === undefined ? {} : { file }) }
    problems.push({ code, severity: 'error', path: key, message, place })
  }
  if (!isJsonObject(value)) return refuse('wrong_type', '', `a fragment: expected a map, found ${kindOf(value)}`)
  if (value['_fragment'] !== true) return refuse('fragment_marker', '', 'a fragment says "_fragment: true" at its top')
  if (Object.hasOwn(value, 'includes')) return refuse('include_depth', '/includes', 'a fragment includes no others')
  const entries = Object.entries(value).filter(([key]) => !key.startsWith('_'))
  return { value: Object.fromEntries(entries), origin: { layer, path: '' } }
}

/** Judged as written; links are judged where files are read. */
function isOutside(path: string): boolean {
  return /^[/\\~]|^[A-Za-z][A-Za-z0-9+.-]*:|[\0]/.test(path) || path.split(/[/\\]/).includes('..')
}

function mergeAt(node: Node, steps: readonly string[], place: (found: Node | undefined) => Node): Node {
  const [step, ...rest] = steps
  // What is no map can neither be gone into nor merged with, which `place` says.
  if (step === undefined || !isJsonObject(node.value)) return place(node)
  const origin = memberOf(node.origin, step)
  const found = Object.hasOwn(node.value, step) ? { value: node.value[step], origin } : undefined
  const isLast = rest.length === 0
  const inner = isLast ? place(found) : mergeAt(found ?? { value: {}, origin }, rest, place)
  return withMembers(node, [[step, inner]])
}

/** What `over` says wins; maps are merged member by member. The map itself stands where the lower one does. */
function merge(under: Node, over: Node): Node {
  if (!isJsonObject(under.value) || !isJsonObject(over.value)) return over
  const { value: lower } = under
  const added = Object.entries(over.value).map(([key, value]): readonly [string, Node] => {
    const member = { value, origin: memberOf(over.origin, key) }
    const below = { value: lower[key], origin: memberOf(under.origin, key) }
    return [key, Object.hasOwn(lower, key) ? merge(below, member) : member]
  })
  return withMembers(under, added)
}

function withMembers({ value, origin }: Node, added: readonly (readonly [string, Node])[]): Node {
  const kept = isJsonObject(value) ? Object.entries(value) : []
  return {
    value: Object.fromEntries([...kept, ...added.map(([key, node]) => [key, node.value])]),
    origin: {
      ...origin,
      members: new Map([...(origin.members ?? []), ...added.map(([key, node]) => [key, node.origin] as const)]),
    },
  }
}
