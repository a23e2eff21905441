import type { Readable } from 'node:stream'

/** What a program wrote to one of its streams, up to a cap. */
export interface Capture {
  /** Resolves when the stream has ended, broke, or was released. */
  readonly ended: Promise<void>
  readonly bytes: () => Uint8Array
  /** More came than was kept. */
  readonly truncated: () => boolean
  /** Stops reading and frees the descriptor, whoever still holds the other end. */
  readonly release: () => void
}

/**
 * Reads a stream to its end, so that the writer is never blocked, and keeps the first `maxBytes`. One growing buffer
 * rather than a list of chunks: a program that writes byte by byte would make each byte a chunk of its own.
 */
export function capture(stream: Readable, maxBytes: number): Capture {
  let held = Buffer.alloc(0)
  let length = 0
  let truncated = false

  stream.on('data', (chunk: Buffer) => {
    const kept = Math.min(chunk.length, maxBytes - length)
    truncated ||= kept < chunk.length
    if (kept === 0) return
    if (length + kept > held.length) held = grown(held, length + kept, maxBytes)
    chunk.copy(held, length, 0, kept)
    length += kept
  })
  return {
    ended: new Promise(resolve => {
      stream.once('close', resolve)
      stream.on('error', () => resolve()) // what was read until then is what there is
    }),
    bytes: () => held.subarray(0, length),
    truncated: () => truncated,
    release: () => stream.destroy(),
  }
}

function grown(held: Buffer, needed: number, maxBytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, held.length * 2), maxBytes))
  held.copy(larger)
  return larger
}
