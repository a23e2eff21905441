// The one door to the network. What is asked for is judged before a connection is made, again for every address a name
// resolves to, and again on every redirect; the connection then goes to the address that was judged. Credentials come in
// as plain strings that the backend reveals on its last line; nothing here keeps, logs or repeats them.
import type { Clock } from '../../core/ports.ts'
import type { Overflow } from './body.ts'
import type { EgressPolicy } from './connector.ts'
import type { Exchanges } from './exchange.ts'
import type { Lookup } from './resolve-name.ts'
import { EgressError, toEgressError } from './error.ts'
import type { PartialAnswer } from './error.ts'
import type { Listener } from './own-listeners.ts'

export interface EgressRequest {
  readonly method: string
  /** http or https, without user information. */
  readonly url: string
  /** Sent wherever the request goes. What the connection itself needs, `host` above all, cannot be set. */
  readonly headers?: Readonly<Record<string, string>>
  /** Credentials and all else that was injected: sent to the first origin alone. */
  readonly injected?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly policy: EgressPolicy
  /** A host the deployment itself named: only what is always blocked applies to it, and to it alone. */
  readonly trustedHost?: string
  readonly signal: AbortSignal
  /** For the whole exchange, redirects and body included. Milliseconds. */
  readonly timeoutMs: number
  /** Cap on the decoded body. */
  readonly maxBytes: number
  /** What happens to a longer one: it is an error (the default), or the cap's worth of it comes back `truncated`. */
  readonly overflow?: Overflow
  /** `return` hands a 3xx back like any other answer. Default `follow`. */
  readonly redirects?: 'follow' | 'return'
  /** Default 5. */
  readonly maxRedirects?: number
}

export interface EgressResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** There was more of the body than `maxBytes`. */
  readonly truncated: boolean
  /** Where the answer came from, after redirects. It may hold secrets. */
  readonly url: string
  /** Only a range the deployment exempts made it possible: the audit record has to say so (ruling ToolClad 17). */
  readonly exempt: boolean
}

export interface Egress {
  /** @throws EgressError */
  readonly request: (request: EgressRequest) => Promise<EgressResponse>
  /** Idempotent: breaks what runs off and closes every connection. */
  readonly close: () => Promise<void>
}

export interface EgressDeps {
  readonly clock: Clock
  /** All addresses of a name. Default: the system's. */
  readonly lookup?: Lookup
  /** Where this gateway listens, never reached from here whatever is allowed (ruling ToolClad 17). Default: nowhere. */
  readonly listeners?: () => readonly Listener[]
}

/** A reason of its own: making the default one costs a stack trace. */
const EXPIRED = 'the deadline has passed'

export function openEgress(deps: EgressDeps): Egress {
  const closing = new AbortController()
  let exchanges: Promise<Exchanges> | undefined

  return {
    request: async request => {
      const deadline = new AbortController()
      const inTime = deps.clock.timer(request.timeoutMs, () => deadline.abort(EXPIRED))
      const signal = AbortSignal.any([request.signal, closing.signal, deadline.signal])
      let partial: PartialAnswer | undefined
      const keep = (answer: PartialAnswer): void => {
        if (request.overflow === 'cut') partial = answer
      }
      const fault = (error: EgressError): EgressError =>
        partial === undefined ? error : new EgressError(error.code, error.message, { cause: error.cause, partial })
      try {
        const { exchange } = await (exchanges ??= loadExchanges(deps))
        return await exchange(request, { signal, onBroken: keep })
      } catch (error) {
        if (request.signal.aborted || closing.signal.aborted)
          throw fault(new EgressError('cancelled', 'the request was cancelled'))
        if (deadline.signal.aborted)
          throw fault(new EgressError('timeout', `no complete answer within ${request.timeoutMs} ms`))
        deadline.abort() // frees the connection of an answer that nobody is going to read
        throw fault(toEgressError(error))
      } finally {
        inTime()
      }
    },
    close: async () => {
      closing.abort()
      await (await exchanges)?.close()
    },
  }
}

/** The HTTP client takes 50 ms to load: a gateway that never asks for anything starts without it. */
async function loadExchanges(deps: EgressDeps): Promise<Exchanges> {
  const { openExchanges } = await import('./exchange.ts')
  return openExchanges(deps)
}
