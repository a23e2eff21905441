// A document with the fragments it includes, composed into one value (DADL spec 11.2; ruling DADL 5). Every node remembers
// the file it was written in, so that a problem is shown where it can be mended.
import { isJsonObject } from '../../core/json.ts'
import type { Position } from '../../core/tool.ts'
import { parseYaml } from '../../lib/yaml.ts'
import type { LoadContext } from '../format.ts'
import { mergeIncludes } from './includes.ts'
import { originOf } from './layer.ts'
import type { Layer, Origin } from './layer.ts'
import type { Problem, Within } from './problems.ts'
import { placeWithin } from './text-place.ts'

export interface Place extends Position {
  readonly file?: string
  /** JSON Pointer into that file. */
  readonly path: string
}

export interface Source {
  /** Absent where the text is no YAML. */
  readonly value?: unknown
  readonly problems: readonly Problem[]
  /** Where a JSON Pointer into the composed value is written. */
  readonly place: (path: string, within?: Within) => Place
}

export function openSource(text: string, { file, profile = 'runtime', readFile }: LoadContext): Source {
  const { layer, value, problems } = openLayer(text, { file, profile })
  const includes = isJsonObject(value) ? value['includes'] : undefined
  if (problems.some(({ severity }) => severity === 'error') || !isJsonObject(value) || !Array.isArray(includes))
    return { value, problems, place: (path, within) => placeOf({ layer, path: '' }, path, within) }
  const composed = mergeIncludes({
    value,
    layer,
    readFile,
    open: (inner, name) => openLayer(inner, { file: name, profile }),
  })
  return {
    value: composed.value,
    problems: [...problems, ...composed.problems],
    place: (path, within) => placeOf(composed.origin, path, within),
  }
}

export interface OpenLayer {
  readonly layer: Layer
  readonly value?: unknown
  readonly problems: readonly Problem[]
}

/** One file as YAML. Merge keys are part of no YAML 1.2 and lose data, but only a publisher has to do without (ruling DADL 4). */
function openLayer(
  text: string,
  { file, profile }: { readonly file: string | undefined; readonly profile: NonNullable<LoadContext['profile']> },
): OpenLayer {
  const parsed = parseYaml(text)
  const layer: Layer = { text, locate: parsed.locate, ...(file === undefined ? {} : { file }) }
  const problems = parsed.problems.map(({ code, message, path, position }): Problem => ({
    code,
    severity: code === 'merge_key' && profile !== 'publish' ? 'warning' : 'error',
    message,
    path,
    place: { ...position, path, ...(file === undefined ? {} : { file }) },
  }))
  return { layer, value: parsed.value, problems }
}

function placeOf(root: Origin, path: string, within?: Within): Place {
  const { layer, path: inner } = originOf(root, path)
  const { file, text, locate } = layer
  const key = locate(inner)
  const at = within === undefined ? key : placeWithin(text, key, within)
  return { ...at, path: inner, ...(file === undefined ? {} : { file }) }
}
