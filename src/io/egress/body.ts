import { pipeline } from 'node:stream/promises'
import { Transform, Writable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { EgressError } from './error.ts'
import type { RawResponse } from './pools.ts'

export interface DecodeOptions {
  readonly maxBytes: number
  readonly overflow: 'error' | 'cut'
  readonly signal: AbortSignal
  readonly method: string
}

/** What can be decoded, as it is offered to servers. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

/** More layers than this are not decoded: nobody needs them, and each may be a bomb. */
const MAX_LAYERS = 2
/** What encoding may add to bytes it cannot shorten. Beyond that, more is sent than is meant to be read. */
const ENCODING_OVERHEAD = 64 << 10
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

export interface Decoded {
  readonly body: Uint8Array
  readonly truncated: boolean
}

/** Ends the reading where the cap is reached and the rest is not wanted. */
class Cut extends Error {}

/** Reads a body whole and decodes it. The cap counts what was decoded, so that a small bomb ends as soon as a large body. */
export async function decodeBody(
  response: RawResponse,
  { maxBytes, overflow, signal, method }: DecodeOptions,
): Promise<Decoded> {
  const { headers, status, stream } = response
  if (method === 'HEAD' || status === 204 || status === 304) {
    await response.discard()
    return { body: new Uint8Array(), truncated: false }
  }
  const layers = layersOf(headers['content-encoding'])
  const declared = Number(headers['content-length'] ?? Number.NaN)
  const plain = layers.length === 0
  if (plain && declared > maxBytes && overflow === 'error') throw tooLarge(maxBytes)
  if (plain && declared <= maxBytes) return { body: await stream.bytes(), truncated: false } // the parser holds the server to it
  const sent = meter(plain ? Infinity : maxBytes + ENCODING_OVERHEAD, maxBytes)
  const body = collector({ maxBytes, overflow, sent: sent.bytes })
  try {
    await pipeline([stream, sent.stage, ...layers, body.sink], { signal })
  } catch (error) {
    // Some servers name an encoding and send nothing at all; that is an empty body, not a broken one.
    const cut = error instanceof Cut
    if (!cut && (sent.bytes() > 0 || !sent.ended())) throw error
    return { body: body.bytes(), truncated: cut }
  }
  return { body: body.bytes(), truncated: false }
}

/** Counts what the server sends: a stream may decode to nothing for ever. */
function meter(
  most: number,
  maxBytes: number,
): {
  readonly stage: Transform
  readonly bytes: () => number
  readonly ended: () => boolean
} {
  let sent = 0
  const stage = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length
      if (sent > most) done(tooLarge(maxBytes))
      else done(null, chunk)
    },
  })
  return { stage, bytes: () => sent, ended: () => stage.writableFinished }
}

/** One growing buffer rather than a list of chunks: a server may send every byte as a chunk of its own. */
function collector({
  maxBytes,
  overflow,
  sent,
}: Pick<DecodeOptions, 'maxBytes' | 'overflow'> & { readonly sent: () => number }): {
  readonly sink: Writable
  readonly bytes: () => Uint8Array
} {
  let held = Buffer.alloc(0)
  let length = 0
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const needed = Math.min(length + chunk.length, maxBytes)
      const over = length + chunk.length > maxBytes
      if (over && overflow === 'error') return done(tooLarge(maxBytes))
      if (needed > RATIO_FREE_BYTES && needed > sent() * MAX_RATIO)
        return done(
          new EgressError('response_too_large', `the answer decodes to more than ${MAX_RATIO} times its size`),
        )
      if (needed > held.length) held = grown(held, Math.min(Math.max(needed, held.length * 2), maxBytes))
      chunk.copy(held, length)
      length = needed
      return done(over ? new Cut() : undefined)
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
