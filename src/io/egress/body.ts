import { pipeline } from 'node:stream/promises'
import { Writable } from 'node:stream'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EgressError } from './error.ts'
import type { RawResponse } from './pools.ts'

export interface DecodeOptions {
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly method: string
}

/** More layers than this are not decoded: nobody needs them, and each may be a bomb. */
const MAX_LAYERS = 2

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Reads a body whole and decodes it. The cap counts what was decoded, so that a small bomb ends as soon as a large body. */
export async function decodeBody(
  response: RawResponse,
  { maxBytes, signal, method }: DecodeOptions,
): Promise<Uint8Array> {
  const { headers, status, stream } = response
  if (method === 'HEAD' || status === 204 || status === 304) {
    await response.discard()
    return new Uint8Array()
  }
  const declared = Number(headers['content-length'] ?? 0)
  const layers = layersOf(headers['content-encoding'])
  if (layers.length === 0 && declared > maxBytes) {
    stream.destroy()
    throw tooLarge(maxBytes)
  }
  const chunks: Buffer[] = []
  let length = 0
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      length += chunk.length
      if (length <= maxBytes) chunks.push(chunk)
      done(length > maxBytes ? tooLarge(maxBytes) : null)
    },
  })
  await pipeline([stream, ...layers, sink], { signal })
  return Buffer.concat(chunks)
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
