// What a caller may ask for besides the whole answer: the redirect itself, and no more of a body than its cap.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { parseRange } from '../../lib/ip.ts'
import type { IpRange } from '../../lib/ip.ts'
import { systemClock } from '../system.ts'
import { openEgress } from './egress.ts'
import type { EgressRequest, EgressResponse } from './egress.ts'
import { EgressError } from './error.ts'

describe('an answer', () => {
  const egress = openEgress({ clock: systemClock, lookup: async () => ['127.0.0.1'] })
  const servers: Server[] = []
  after(async () => {
    await egress.close()
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  async function serve(listener: RequestListener): Promise<number> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    return address.port
  }

  function get(url: string, more: Partial<EgressRequest> = {}): Promise<EgressResponse> {
    return egress.request({
      method: 'GET',
      url,
      policy: { blockInternal: false, allow: [] },
      signal: new AbortController().signal,
      timeoutMs: 5000,
      maxBytes: 1000,
      ...more,
    })
  }

  const range = (text: string): IpRange => parseRange(text) ?? assert.fail(text)

  test('that redirects comes back as it is where nobody wants to follow', async () => {
    let asked = 0
    const port = await serve((_request, response) => {
      asked += 1
      response.writeHead(307, { location: 'http://169.254.169.254/' }).end('elsewhere')
    })
    const { status, headers, body } = await get(`http://127.0.0.1:${port}/`, { redirects: 'return' })
    assert.deepEqual(
      [status, headers['location'], Buffer.from(body).toString()],
      [307, 'http://169.254.169.254/', 'elsewhere'],
    )
    assert.equal(asked, 1)
  })

  test('is cut to the very byte, whatever its encoding, and only where it is longer (property)', async () => {
    let sent = Buffer.alloc(0)
    let packed = false
    const port = await serve((_request, response) => {
      if (packed) response.setHeader('content-encoding', 'gzip')
      response.end(packed ? gzipSync(sent) : sent)
    })
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.integer({ min: 1, max: 300 }),
        fc.boolean(),
        async (bytes, cap, gzip) => {
          sent = Buffer.from(bytes)
          packed = gzip
          const { body, truncated } = await get(`http://127.0.0.1:${port}/`, { maxBytes: cap, overflow: 'cut' })
          assert.deepEqual(Buffer.from(body), sent.subarray(0, cap))
          assert.equal(truncated, sent.length > cap)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('of megabytes that cannot be packed is cut too', async () => {
    const random = Buffer.alloc(3 << 20)
    for (let i = 0, x = 1; i < random.length; i++) random[i] = (x = (x * 16_807) % 2_147_483_647) & 255
    const port = await serve((_request, response) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync(random)),
    )
    const { body, truncated } = await get(`http://127.0.0.1:${port}/`, { maxBytes: 1 << 20, overflow: 'cut' })
    assert.deepEqual([body.length, truncated], [1 << 20, true])
  })

  test('that is too long stays an error where nobody asked for less', async () => {
    const port = await serve((_request, response) => response.end('x'.repeat(1001)))
    await assert.rejects(get(`http://127.0.0.1:${port}/`), { code: 'response_too_large', partial: undefined })
  })

  test('that breaks off is an error that holds what came, for those who take less', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    })
    const failed = await get(`http://127.0.0.1:${port}/`, { overflow: 'cut' }).catch((error: unknown) => error)
    assert.ok(failed instanceof EgressError)
    assert.equal(failed.code, 'protocol_error')
    assert.deepEqual([failed.partial?.status, Buffer.from(failed.partial?.body ?? []).toString()], [200, 'half'])
  })

  test('never comes from a range that is refused besides', async () => {
    const port = await serve((_request, response) => response.end('reached'))
    const policy = { blockInternal: false, allow: [] }
    for (const host of ['127.0.0.1', 'api.example.com', '[::ffff:127.0.0.1]'])
      await assert.rejects(get(`http://${host}:${port}/`, { policy: { ...policy, deny: [range('127.0.0.0/8')] } }), {
        code: 'blocked',
      })
    const { body } = await get(`http://127.0.0.1:${port}/`, { policy: { ...policy, deny: [range('10.0.0.0/8')] } })
    assert.equal(Buffer.from(body).toString(), 'reached')
  })
})
