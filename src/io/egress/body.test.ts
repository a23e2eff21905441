// Bodies as only a hostile or sloppy server sends them, through the whole egress.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { parseCidr } from '../../lib/ip.ts'
import { systemClock } from '../system.ts'
import { openEgress } from './egress.ts'
import type { EgressResponse } from './egress.ts'
import { EgressError } from './error.ts'

const egress = openEgress({ clock: systemClock })
const servers: Server[] = []
/** A server that says what it is told to, byte for byte; `talk` resolves when it has said everything. */
async function answerOf(
  talk: (socket: Socket) => unknown,
  { maxBytes = 1_000_000, timeoutMs = 20_000 } = {},
): Promise<EgressResponse> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => void talk(socket))
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address: AddressInfo | string | null = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return egress.request({
    method: 'GET',
    url: `http://127.0.0.1:${address.port}/`,
    policy: { blockInternal: true, allow: [parseCidr('127.0.0.0/8') ?? assert.fail()] },
    signal: new AbortController().signal,
    timeoutMs,
    maxBytes,
  })
}

const encoded = (encoding: string, bytes: Uint8Array) => (socket: Socket) => {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`)
  socket.end(bytes)
}

async function fails(code: string, answer: Promise<unknown>): Promise<void> {
  await assert.rejects(answer, (error: unknown) => error instanceof EgressError && error.code === code)
}

describe('bodies', () => {
  after(async () => {
    await egress.close()
    for (const server of servers) server.close()
  })

  describe('encodings', () => {
    test('zstd is read', async () => {
      const { body } = await answerOf(encoded('zstd', zstdCompressSync('hello')))
      assert.equal(Buffer.from(body).toString(), 'hello')
    })

    test('one cut short is an error in every encoding', async () => {
      for (const [encoding, whole] of [
        ['gzip', gzipSync('hello hello')],
        ['zstd', zstdCompressSync('hello hello')],
      ] as const)
        await fails('protocol_error', answerOf(encoded(encoding, whole.subarray(0, whole.length - 3))))
    })

    test('one that is named but not used on an empty body is an empty body', async () => {
      for (const rest of ['Content-Length: 0\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n']) {
        const { body } = await answerOf(socket =>
          socket.end(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n${rest}`),
        )
        assert.equal(body.length, 0)
      }
    })

    test('a window larger than HTTP needs is refused before it is allocated', async () => {
      // A frame that declares a window of 2^27 and then one raw block.
      const frame = Buffer.from([
        0x28,
        0xb5,
        0x2f,
        0xfd,
        0x00,
        (27 - 10) << 3,
        0x29,
        0x00,
        0x00,
        ...Buffer.from('hello'),
      ])
      await fails('protocol_error', answerOf(encoded('zstd', frame)))
    })
  })

  describe('caps', () => {
    test('a stream that decodes to nothing for ever ends at what it sends', async () => {
      const emptyBlocks = Buffer.alloc(65_535, Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]))
      let sent = 0
      await fails(
        'response_too_large',
        answerOf(
          async socket => {
            socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n')
            socket.write(gzipSync('').subarray(0, 10))
            for (; !socket.destroyed; sent += emptyBlocks.length)
              if (!socket.write(emptyBlocks))
                await new Promise(resolve => socket.once('drain', resolve).once('close', resolve))
          },
          { maxBytes: 100_000 },
        ),
      )
      assert.ok(sent > 0)
    })

    test('what decodes to far more than its size fails below the cap too; what repeats itself does not', async () => {
      await fails(
        'response_too_large',
        answerOf(encoded('gzip', gzipSync(Buffer.alloc(10_000_000))), { maxBytes: 100_000_000 }),
      )
      const line = gzipSync(Buffer.alloc(4_000_000, 'the same line\n'))
      assert.equal((await answerOf(encoded('gzip', line), { maxBytes: 100_000_000 })).body.length, 4_000_000)
    })

    test('the cap itself is still taken, one byte more is not, whatever the framing', async () => {
      const sized = (size: number) => (socket: Socket) =>
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`)
      const unsized = (size: number) => (socket: Socket) =>
        socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${'x'.repeat(size)}`)
      for (const framing of [sized, unsized]) {
        assert.equal((await answerOf(framing(1000), { maxBytes: 1000 })).body.length, 1000)
        await fails('response_too_large', answerOf(framing(1001), { maxBytes: 1000 }))
      }
    })

    test('a body in single bytes costs no more than its length', async () => {
      const size = 300_000
      const chunks = '1\r\nx\r\n'.repeat(size)
      const { body } = await answerOf(
        socket => socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`),
        { maxBytes: size },
      )
      assert.equal(body.length, size)
      assert.ok(body.buffer.byteLength <= size)
    })
  })

  test('a body that is announced and then dripped ends at the deadline, whatever the framing', async () => {
    for (const head of ['Content-Length: 100000', 'Transfer-Encoding: chunked', 'Content-Encoding: gzip']) {
      const dripping = answerOf(
        socket => {
          socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`)
          const drip = setInterval(() => socket.write(head.startsWith('Content-L') ? 'x' : ''), 10)
          socket.once('close', () => clearInterval(drip))
        },
        { timeoutMs: 150 },
      )
      await fails('timeout', dripping)
    }
  })

  test('a length that is not kept is an error, never a shorter or a longer body', async () => {
    await fails(
      'protocol_error',
      answerOf(socket => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort')),
    )
    const long = await answerOf(socket => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nlonger'))
    assert.equal(Buffer.from(long.body).toString(), 'lon')
    for (const head of [
      'Content-Length: 3\r\nContent-Length: 4',
      'Content-Length: 3\r\nTransfer-Encoding: chunked',
      'Content-Length: -1',
      'Content-Length: 3x',
    ])
      await fails(
        'protocol_error',
        answerOf(socket => socket.end(`HTTP/1.1 200 OK\r\n${head}\r\n\r\nabcd`)),
      )
  })
})
