import type { CallContext } from '../core/call.ts'

/** How long a policy or a gate may think, in milliseconds. */
const DEADLINE = 10_000

/** Runs a decision that others wrote: a throw, a rejection and silence all become `otherwise(why)`. */
export async function withinDeadline<T>(
  ctx: CallContext,
  decide: () => T | Promise<T>,
  otherwise: (why: string) => T,
): Promise<T> {
  const done = new AbortController()
  const expired = ctx.clock
    .sleep(DEADLINE, AbortSignal.any([done.signal, ctx.signal]))
    .then(() => otherwise(ctx.signal.aborted ? 'the call was cancelled' : `none within ${DEADLINE / 1000} s`))
  try {
    return await Promise.race([Promise.resolve(decide()), expired])
  } catch {
    return otherwise('it failed') // the message is not shown: it may quote arguments
  } finally {
    done.abort()
  }
}
