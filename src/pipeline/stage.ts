import type { Ready } from '../backends/backend.ts'
import type { Entry } from '../catalog/entry.ts'
import type { CallRequest } from '../core/call.ts'
import type { JsonObject } from '../core/json.ts'
import type { Outcome } from '../core/outcome.ts'
import type { Values } from '../core/tool.ts'

/** What is known of a call after each stage. */
interface StageValues {
  readonly received: { readonly request: CallRequest }
  readonly authorized: Authorized
  readonly validated: Validated
  readonly scoped: Validated
  readonly gated: Validated
  readonly approved: Validated
  readonly resolved: Validated & { readonly ready: Ready; readonly exempt?: readonly string[] }
  readonly recorded: Validated & { readonly ready: Ready }
  readonly executed: Validated & { readonly outcome: Outcome }
  readonly released: Validated & { readonly outcome: Outcome }
}

interface Authorized {
  readonly request: CallRequest
  readonly entry: Entry
  /** As the caller sent them, or as a gate changed them. */
  readonly args: JsonObject
}

interface Validated extends Authorized {
  readonly values: Values
}

/** The one order: each stage is reached from exactly one other. */
interface Previous {
  readonly authorized: 'received'
  readonly validated: 'authorized'
  readonly scoped: 'validated'
  readonly gated: 'scoped'
  readonly approved: 'gated'
  readonly resolved: 'approved'
  readonly recorded: 'resolved'
  readonly executed: 'recorded'
  readonly released: 'executed'
}

export type StageName = keyof StageValues

/**
 * A call at one point of the pipeline. The private field makes it nominal: a skipped or reordered stage, a forged literal
 * and a spread of a real stage do not compile where a stage is asked for (`stage.test.ts` holds the compiler to it).
 */
export class Stage<S extends StageName> {
  readonly #stage: S
  readonly value: StageValues[S]

  private constructor(stage: S, value: StageValues[S]) {
    this.#stage = stage
    this.value = value
  }

  get name(): S {
    return this.#stage
  }

  static receive(request: CallRequest): Stage<'received'> {
    return new Stage('received', { request })
  }

  static advance<S extends keyof Previous>(_from: Stage<Previous[S]>, to: S, value: StageValues[S]): Stage<S> {
    return new Stage(to, value)
  }

  /** A gate changed the arguments: the call is judged again from validation on. */
  static reenter({ value }: Stage<'scoped'>, args: JsonObject): Stage<'authorized'> {
    return new Stage('authorized', { request: value.request, entry: value.entry, args })
  }
}

/** What a step answers: the next stage, or how the call ended. */
export type Step<S extends StageName> = { readonly go: Stage<S> } | { readonly stop: Outcome }
