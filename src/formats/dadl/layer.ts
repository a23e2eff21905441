import type { Position } from '../../core/tool.ts'
import { fromPointer, toPointer } from '../../lib/pointer.ts'

/** One file of a composed document. */
export interface Layer {
  readonly file?: string
  readonly text: string
  readonly locate: (path: string) => Position
}

/** Where a node was written, and those of its members that were written elsewhere. */
export interface Origin {
  readonly layer: Layer
  /** JSON Pointer into the layer. */
  readonly path: string
  readonly members?: ReadonlyMap<string, Origin>
}

/** The member of a node, wherever that was written. */
export function memberOf(origin: Origin, key: string): Origin {
  return origin.members?.get(key) ?? { layer: origin.layer, path: origin.path + toPointer([key]) }
}

export function originOf(root: Origin, path: string): Origin {
  return fromPointer(path).reduce(memberOf, root)
}
