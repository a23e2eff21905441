import type { JsonObject } from '../../../core/json.ts'
import type { Fence } from '../../../core/outcome.ts'
import type { Deployment } from '../../format.ts'
import type { Problems } from '../problems.ts'
import type { ARGUMENT } from '../schema.ts'
import type { Section } from '../section.ts'
import type { TYPE_NAMES } from '../spec.ts'

/** One of the specification's types (ToolClad spec, Type System). */
export interface ArgumentType {
  readonly name: (typeof TYPE_NAMES)[number]
  /** What a JSON caller may send besides a string. */
  readonly json: 'string' | 'integer' | 'number' | 'boolean'
  /** Keys of `[args.*]` that constrain this type; the others of `CONSTRAINTS` have no effect on it. */
  readonly constraints: readonly Constraint[]
  /** Reads the constraints once, at load. */
  readonly compile: (context: TypeContext) => CompiledType
}

export const CONSTRAINTS = ['allowed', 'pattern', 'min', 'max', 'min_float', 'max_float', 'clamp', 'schemes'] as const
type Constraint = (typeof CONSTRAINTS)[number]

export interface TypeContext {
  readonly name: string
  readonly argument: Section<typeof ARGUMENT>
  /** Whether `allow_whitespace` counts in this manifest (ToolClad spec, Value Hygiene; ruling 13). */
  readonly whitespaceCounts: boolean
  readonly deployment: Deployment
  readonly problems: Problems
  /** Instead of the value hygiene, for text that never becomes an argv entry (ruling 20). */
  readonly hygiene?: Hygiene
  /** Spaces and `;` part the value (`msf_options`). */
  readonly separators?: boolean
}

/** A judgement of any text; `undefined` where it passes. */
export type Hygiene = (value: string) => Judged | undefined

export interface CompiledType {
  /** Pure, total and linear in the value. A canonical value is its own canonical value. */
  readonly judge: (value: string) => Judged
  /** What a JSON caller is shown; never narrower than `judge`. */
  readonly schema: JsonObject
}

export type Judged =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly fence: Fence; readonly message: string }

export function accept(value: string): Judged {
  return { ok: true, value }
}

export function refuse(fence: Fence, message: string): Judged {
  return { ok: false, fence, message }
}
