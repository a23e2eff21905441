import { pipeline } from 'node:stream/promises'
import { Transform, Writable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { EgressError } from './error.ts'
import type { RawResponse } from './pools.ts'

/** What happens to a body that is longer than its cap. */
export type Overflow = 'error' | 'cut'

export interface DecodeOptions {
  readonly maxBytes: number
  readonly overflow: Overflow
  readonly signal: AbortSignal
  readonly method: string
  /** Told what had come of a body that then broke off. */
  readonly onBroken: (bytes: Uint8Array) => void
}

export interface DecodedBody {
  readonly body: Uint8Array
  readonly truncated: boolean
}

/** What can be decoded, as it is offered to servers. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

/** More layers than this are not decoded: nobody needs them, and each may be a bomb. */
const MAX_LAYERS = 2
/** What encoding may add to bytes it cannot shorten. Beyond that, more is sent than is meant to be read. */
const ENCODING_OVERHEAD = 64 << 10
/** What may be on its way through the decoders while the cap is not yet reached. */
const IN_FLIGHT = 1 << 20
/** A body that decodes to more than this is judged by its ratio too; a short one of a repeated line is honest. */
const RATIO_FREE_BYTES = 4 << 20
const MAX_RATIO = 200
/** RFC 9659: `zstd` over HTTP needs no window beyond 8 MiB. */
const ZSTD_WINDOW_LOG = 23

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
}

/**
 * Reads a body and decodes it. The cap counts what was decoded, so that a small bomb ends as soon as a large body; where it
 * cuts, nothing more is read. Signs of a bomb are an error either way.
 */
export async function decodeBody(response: RawResponse, options: DecodeOptions): Promise<DecodedBody> {
  const { headers, status, stream } = response
  const { maxBytes, overflow, signal, method } = options
  if (method === 'HEAD' || status === 204 || status === 304) {
    await response.discard()
    return { body: new Uint8Array(), truncated: false }
  }
  const layers = layersOf(headers['content-encoding'])
  const cuts = overflow === 'cut'
  if (layers.length === 0 && !cuts) {
    const declared = Number(headers['content-length'] ?? Number.NaN)
    if (declared > maxBytes) throw tooLarge(maxBytes)
    // The parser holds the server to it.
    if (declared <= maxBytes) return { body: await stream.bytes(), truncated: false }
  }
  // Without a decoder what is sent is what is collected, which has its own cap.
  const sent = meter(layers.length === 0 ? Infinity : maxBytes + (cuts ? IN_FLIGHT : ENCODING_OVERHEAD))
  const body = collector({ maxBytes, cuts, sent: sent.bytes })
  try {
    await pipeline([stream, sent.stage, ...layers, body.sink], { signal })
  } catch (error) {
    if (error === FULL) return { body: body.bytes(), truncated: true }
    // Some servers name an encoding and send nothing at all; that is an empty body, not a broken one.
    if (sent.bytes() > 0 || !sent.ended()) {
      options.onBroken(body.bytes())
      throw error
    }
  }
  return { body: body.bytes(), truncated: false }
}

/** Ends the reading of a body that is cut. */
const FULL = new Error('the cap is reached')

/** Counts what the server sends: a stream may decode to nothing for ever. */
function meter(maxBytes: number): {
  readonly stage: Transform
  readonly bytes: () => number
  readonly ended: () => boolean
} {
  let sent = 0
  const stage = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length
      if (sent > maxBytes) done(tooLarge(maxBytes))
      else done(null, chunk)
    },
  })
  return { stage, bytes: () => sent, ended: () => stage.writableFinished }
}

/** One growing buffer rather than a list of chunks: a server may send every byte as a chunk of its own. */
function collector({
  maxBytes,
  cuts,
  sent,
}: {
  readonly maxBytes: number
  readonly cuts: boolean
  readonly sent: () => number
}): { readonly sink: Writable; readonly bytes: () => Uint8Array } {
  let held = Buffer.alloc(0)
  let length = 0
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const whole = length + chunk.length
      if (whole > maxBytes && !cuts) return done(tooLarge(maxBytes))
      const needed = Math.min(whole, maxBytes)
      if (needed > RATIO_FREE_BYTES && needed > sent() * MAX_RATIO)
        return done(
          new EgressError('response_too_large', `the answer decodes to more than ${MAX_RATIO} times its size`),
        )
      if (needed > held.length) held = grown(held, Math.min(Math.max(needed, held.length * 2), maxBytes))
      chunk.copy(held, length, 0, needed - length)
      length = needed
      return done(whole > maxBytes ? FULL : null)
    },
  })
  return { sink, bytes: () => held.subarray(0, length) }
}

function grown(held: Buffer, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(size)
  held.copy(larger)
  return larger
}

/** The decoders in the order they have to be applied: the last encoding first. */
function layersOf(encoding: string | undefined): readonly Transform[] {
  const names = (encoding ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity')
  if (names.length > MAX_LAYERS) throw new EgressError('protocol_error', 'the answer is encoded too many times')
  return names.toReversed().map(name => {
    const open = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
    if (open === undefined) throw new EgressError('protocol_error', 'the answer has an encoding that was not asked for')
    return open()
  })
}

function tooLarge(maxBytes: number): EgressError {
  return new EgressError('response_too_large', `the answer is larger than ${maxBytes} bytes`)
}
