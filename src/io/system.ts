import { randomFillSync } from 'node:crypto'
import type { Clock, Ids } from '../core/ports.ts'

/** The longest wait one timer of Node can hold; a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1
const RANDOM_POOL = 8192

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER))
    return () => clearTimeout(timer)
  },
  sleep: async (ms, signal) => {
    for (let left = ms; left > 0; left -= LONGEST_TIMER) {
      if (signal?.aborted === true) return
      await nap(Math.min(left, LONGEST_TIMER), signal)
    }
  },
}

/** Random bytes, taken from the system many at a time and never given out twice. */
function openRandom(): (count: number) => Buffer {
  const pool = Buffer.alloc(RANDOM_POOL)
  let used = pool.length
  return count => {
    if (used + count > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += count
    const taken = Buffer.from(pool.subarray(used - count, used))
    pool.fill(0, used - count, used)
    return taken
  }
}

/** The identifiers of this process; one source, so that they sort by the time they were made. */
export const systemIds: Ids = openIds(systemClock)

/**
 * Random identifiers. UUIDv7 with the 12 bits of `rand_a` as a counter (RFC 9562, 6.2 method 1): two made in one
 * millisecond, or after the clock was set back, still sort in the order they were made.
 */
export function openIds({ now }: Pick<Clock, 'now'>): Ids {
  let time = -1
  let counter = 0
  const randomBytes = openRandom()

  return {
    uuid: () => {
      const random = randomBytes(10)
      const current = now()
      counter++
      if (current > time || counter > 0xfff) {
        time = Math.max(current, time + 1)
        counter = random.readUInt16BE(8) & 0x7ff // half of the range is left for counting
      }
      random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
      const head = `${time.toString(16).padStart(12, '0')}7${counter.toString(16).padStart(3, '0')}`
      const digits = head + random.toString('hex', 0, 8)
      return [
        digits.slice(0, 8),
        digits.slice(8, 12),
        digits.slice(12, 16),
        digits.slice(16, 20),
        digits.slice(20),
      ].join('-')
    },
    hex: bytes => randomBytes(bytes).toString('hex'),
  }
}

function nap(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}
