import type { CallContext } from '../core/call.ts'

/** How long a policy or a gate may think, in milliseconds. */
const DEADLINE = 10_000

/** Runs a decision that others wrote: a throw, a rejection and silence all become `otherwise(why)`. */
export async function withinDeadline<T>(
  ctx: CallContext,
  decide: () => T | Promise<T>,
  otherwise: (why: string) => T,
): Promise<T> {
  const late = Promise.withResolvers<T>()
  const cancelled = (): void => late.resolve(otherwise('the call was cancelled'))
  let inTime: (() => void) | undefined
  try {
    const answer = decide()
    if (!(answer instanceof Promise)) return answer
    inTime = ctx.clock.timer(DEADLINE, () => late.resolve(otherwise(`none within ${DEADLINE / 1000} s`)))
    ctx.signal.addEventListener('abort', cancelled, { once: true })
    return await Promise.race([answer, late.promise])
  } catch {
    return otherwise('it failed') // the message is not shown: it may quote arguments
  } finally {
    inTime?.()
    ctx.signal.removeEventListener('abort', cancelled)
  }
}
