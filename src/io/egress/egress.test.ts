// Real servers, real sockets, a real DNS server: what gets out, where it goes, and what comes back.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { parseCidr } from '../../lib/ip.ts'
import type { IpRange } from '../../lib/ip.ts'
import { systemClock } from '../system.ts'
import { openEgress } from './egress.ts'
import type { Egress, EgressRequest, EgressResponse } from './egress.ts'
import { EgressError } from './error.ts'
import type { TargetPolicy } from '../../lib/ranges.ts'

function range(text: string): IpRange {
  const parsed = parseCidr(text)
  assert.ok(parsed)
  return parsed
}

const LOOPBACK = [range('127.0.0.0/8'), range('::1/128')]
/** What a test may reach: this machine, and nothing else that is internal. */
const here: TargetPolicy = { blockInternal: true, allow: LOOPBACK }
const strict: TargetPolicy = { blockInternal: true, allow: [] }

const closers: (() => unknown)[] = []
describe('egress', () => {
  after(async () => {
    for (const close of closers) await close()
  })

  function open(lookup?: (host: string) => Promise<readonly string[]>): Egress {
    const egress = openEgress({ clock: systemClock, ...(lookup === undefined ? {} : { lookup }) })
    closers.unshift(() => egress.close())
    return egress
  }

  async function listen(server: Server): Promise<number> {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closers.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return portOf(server.address())
  }

  function portOf(address: AddressInfo | string | null): number {
    assert.ok(typeof address === 'object' && address !== null)
    return address.port
  }

  const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener))

  const egress = open()

  function get(url: string, more: Partial<EgressRequest> = {}): Promise<EgressResponse> {
    return egress.request({
      method: 'GET',
      url,
      policy: here,
      signal: new AbortController().signal,
      timeoutMs: 5000,
      maxBytes: 100_000,
      ...more,
    })
  }

  async function fails(code: string, answer: Promise<unknown>): Promise<void> {
    await assert.rejects(answer, (error: unknown) => {
      assert.ok(error instanceof EgressError, String(error))
      assert.equal(error.code, code, error.message)
      return true
    })
  }

  const text = ({ body }: EgressResponse): string => Buffer.from(body).toString()

  describe('targets', () => {
    test('an allowed one is reached, an internal one is not', async () => {
      const port = await serve((_request, response) => response.end('hello'))
      assert.equal(text(await get(`http://127.0.0.1:${port}/`)), 'hello')
      for (const host of [
        '127.0.0.1',
        'localhost',
        '2130706433',
        '0x7f.1',
        '017700000001',
        '127.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '0.0.0.0',
        '10.0.0.1',
        '169.254.169.254',
        '[fe80::1]',
        '[64:ff9b::7f00:1]',
      ])
        await fails('blocked', get(`http://${host}:${port}/`, { policy: strict }))
    })

    test('what is always blocked stays blocked, whatever a deployment allows', async () => {
      const everything = { blockInternal: false, allow: [range('0.0.0.0/0'), range('::/0')] }
      for (const url of [
        'http://169.254.169.254/',
        'http://metadata.google.internal/',
        'http://100.100.100.200/',
        'http://[::ffff:a9fe:a9fe]/',
      ])
        await fails('blocked', get(url, { policy: everything, trustedHost: new URL(url).hostname }))
    })

    test('a host the deployment named may be internal, that host alone', async () => {
      const port = await serve((request, response) => {
        response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` })
        response.end(request.url)
      })
      const direct = await serve((_request, response) => response.end('internal'))
      assert.equal(
        text(await get(`http://127.0.0.1:${direct}/`, { policy: strict, trustedHost: '127.0.0.1' })),
        'internal',
      )
      await fails('blocked', get(`http://localhost:${port}/`, { policy: strict, trustedHost: 'localhost' }))
    })

    test('only http and https, without a user name', async () => {
      for (const url of [
        'ftp://example.com/',
        'file:///etc/passwd',
        'javascript:1',
        'http://user:pass@example.com/',
        'nonsense',
        'http://',
      ])
        await fails('bad_url', get(url))
    })
  })

  describe('names', () => {
    /** Answers the n-th question with the n-th list of addresses, the last one for ever. */
    async function dnsServer(answers: readonly (readonly string[])[]): Promise<(host: string) => Promise<string[]>> {
      const socket = createSocket('udp4')
      let asked = 0
      socket.on('message', (query, peer) => {
        const addresses = answers[Math.min(asked, answers.length - 1)] ?? []
        asked += 1
        socket.send(dnsAnswer(query, addresses), peer.port, peer.address)
      })
      socket.bind(0, '127.0.0.1')
      await once(socket, 'listening')
      closers.push(() => socket.close())
      const resolver = new Resolver()
      resolver.setServers([`127.0.0.1:${socket.address().port}`])
      return host => resolver.resolve4(host)
    }

    function dnsAnswer(query: Buffer, addresses: readonly string[]): Buffer {
      const question = query.subarray(12, query.indexOf(0, 12) + 5)
      const header = Buffer.from(query.subarray(0, 12))
      header.writeUInt16BE(addresses.length === 0 ? 0x8183 : 0x8180, 2)
      header.writeUInt16BE(addresses.length, 6)
      header.writeUInt16BE(0, 8)
      header.writeUInt16BE(0, 10)
      const records = addresses.map(address =>
        Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
      )
      return Buffer.concat([header, question, ...records])
    }

    test('one blocked address among several refuses the name', async () => {
      const lookup = await dnsServer([['93.184.215.14', '10.0.0.7']])
      await fails('blocked', open(lookup).request({ ...base('http://two-faced.example.com/'), policy: strict }))
    })

    test('a name that rebinds is asked once for each connection, and its new address is judged again', async () => {
      const port = await serve((_request, response) => {
        response.setHeader('connection', 'close')
        response.end('first')
      })
      const lookup = await dnsServer([['127.0.0.1'], ['10.0.0.1']])
      const rebinding = open(lookup)
      const request = { ...base(`http://rebind.example.com:${port}/`), policy: here }
      assert.equal(text(await rebinding.request(request)), 'first')
      await fails('blocked', rebinding.request(request))
    })

    test('a name without an address is a DNS error', async () => {
      const lookup = await dnsServer([[]])
      await fails('dns_error', open(lookup).request({ ...base('http://nowhere.example.com/'), policy: strict }))
    })

    function base(url: string): EgressRequest {
      return {
        method: 'GET',
        url,
        policy: strict,
        signal: new AbortController().signal,
        timeoutMs: 5000,
        maxBytes: 1000,
      }
    }
  })

  describe('redirects', () => {
    const seen: { url: string; method: string; headers: IncomingMessage['headers'] }[] = []
    const record = (request: IncomingMessage): void => {
      seen.push({ url: request.url ?? '', method: request.method ?? '', headers: request.headers })
    }
    const to = (response: ServerResponse, status: number, location: string): void => {
      response.writeHead(status, { location })
      response.end('moved')
    }

    test('into an internal range, to another scheme, with a user name: refused', async () => {
      let location = ''
      const port = await serve((_request, response) => to(response, 302, location))
      for (const [target, code] of [
        ['http://169.254.169.254/latest/meta-data', 'blocked'],
        ['http://10.1.2.3/', 'blocked'],
        ['file:///etc/passwd', 'redirect_refused'],
        ['http://a:b@127.0.0.1/', 'redirect_refused'],
        ['//[::1', 'redirect_refused'],
      ] as const) {
        location = target
        await fails(code, get(`http://127.0.0.1:${port}/`))
      }
    })

    test('at most five, none where none is allowed', async () => {
      const port = await serve((request, response) => to(response, 302, `/${Number(request.url?.slice(1)) + 1}`))
      await fails('redirect_refused', get(`http://127.0.0.1:${port}/0`))
      await fails('redirect_refused', get(`http://127.0.0.1:${port}/0`, { maxRedirects: 0 }))
    })

    test('to another origin drop what was injected and never carry a body; to the same one keep both', async () => {
      seen.length = 0
      const other = await serve((request, response) => {
        record(request)
        response.end('other')
      })
      const port: number = await serve((request, response) => {
        record(request)
        if (request.url === '/away') to(response, 302, `http://127.0.0.1:${other}/there`)
        else if (request.url === '/away-body') to(response, 307, `http://127.0.0.1:${other}/there`)
        else if (request.url === '/same') to(response, 307, '/end')
        else response.end('end')
      })
      const injected = { authorization: 'Bearer secret' }
      assert.equal(text(await get(`http://127.0.0.1:${port}/away`, { injected, headers: { 'x-plain': '1' } })), 'other')
      assert.deepEqual(
        seen.map(({ headers }) => [headers.authorization, headers['x-plain']]),
        [
          ['Bearer secret', '1'],
          [undefined, '1'],
        ],
      )
      await fails('redirect_refused', get(`http://127.0.0.1:${port}/away-body`, { method: 'POST', body: 'x' }))
      seen.length = 0
      await get(`http://127.0.0.1:${port}/same`, { method: 'POST', body: 'x', injected })
      assert.deepEqual(
        seen.map(({ method, headers }) => [method, headers.authorization]),
        [
          ['POST', 'Bearer secret'],
          ['POST', 'Bearer secret'],
        ],
      )
    })
  })

  describe('answers', () => {
    const answering =
      (listener: RequestListener) =>
      async (more: Partial<EgressRequest> = {}) =>
        get(`http://127.0.0.1:${await serve(listener)}/`, more)

    test('of every encoding are decoded', async () => {
      for (const [encoding, bytes] of [
        ['gzip', gzipSync('hello')],
        ['deflate', deflateSync('hello')],
        ['br', brotliCompressSync('hello')],
        ['gzip, gzip', gzipSync(gzipSync('hello'))],
        ['identity', Buffer.from('hello')],
      ] as const) {
        const ask = answering((_request, response) => response.setHeader('content-encoding', encoding).end(bytes))
        assert.equal(text(await ask()), 'hello', encoding)
      }
    })

    test('that are too large fail, declared, streamed, or as a bomb', async () => {
      const large = Buffer.alloc(200_000)
      await fails('response_too_large', answering((_request, response) => response.end(large))())
      await fails(
        'response_too_large',
        answering((_request, response) => {
          response.write(large)
          response.end()
        })(),
      )
      const bomb = gzipSync(Buffer.alloc(50 << 20))
      const before = process.memoryUsage().rss
      await fails(
        'response_too_large',
        answering((_request, response) => response.setHeader('content-encoding', 'gzip').end(bomb))(),
      )
      await fails(
        'response_too_large',
        answering((_request, response) => response.setHeader('content-encoding', 'gzip, gzip').end(gzipSync(bomb)))(),
      )
      assert.ok(process.memoryUsage().rss - before < 100 << 20)
      assert.equal(
        (await answering((_request, response) => response.end(Buffer.alloc(100_000)))()).body.length,
        100_000,
      )
    })

    test('that are broken are an error, never a shorter body', async () => {
      await fails(
        'protocol_error',
        answering((_request, response) =>
          response.setHeader('content-encoding', 'gzip').end(gzipSync('hello').subarray(0, 12)),
        )(),
      )
      await fails(
        'protocol_error',
        answering((_request, response) => response.setHeader('content-encoding', 'snappy').end('x'))(),
      )
      await fails(
        'protocol_error',
        answering((_request, response) => response.setHeader('content-encoding', 'gzip, gzip, gzip').end('x'))(),
      )
      for (const raw of [
        'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort',
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel',
        'nonsense\r\n\r\n',
        `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      ]) {
        const server = createTcpServer(socket => {
          socket.on('error', () => undefined)
          socket.once('data', () => socket.end(raw))
        })
        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
        closers.push(() => server.close())
        await fails('protocol_error', get(`http://127.0.0.1:${portOf(server.address())}/`))
      }
    })

    test('that do not end, or never begin, are cut off by the deadline and by the caller', async () => {
      const dripping = answering((_request, response) => {
        const drip = setInterval(() => response.write('x'), 20)
        response.once('close', () => clearInterval(drip))
      })
      await fails('timeout', dripping({ timeoutMs: 150 }))
      await fails('timeout', answering(() => undefined)({ timeoutMs: 100 }))
      const stop = new AbortController()
      setTimeout(() => stop.abort(), 50)
      await fails('cancelled', dripping({ signal: stop.signal }))
    })

    test('without a body have none', async () => {
      for (const [method, status] of [
        ['HEAD', 200],
        ['GET', 204],
      ] as const) {
        const ask = answering((_request, response) => response.writeHead(status, { 'content-encoding': 'gzip' }).end())
        assert.equal((await ask({ method })).body.length, 0)
      }
    })

    test('nobody gives are told by their transport code', async () => {
      await fails('tls_error', get(`https://127.0.0.1:${await selfSigned()}/`))
      const closed = createServer()
      closed.listen(0, '127.0.0.1')
      await once(closed, 'listening')
      const free = portOf(closed.address())
      closed.close()
      await once(closed, 'close')
      await fails('connection_refused', get(`http://127.0.0.1:${free}/`))
    })

    async function selfSigned(): Promise<number> {
      const folder = mkdtempSync(join(tmpdir(), 'tls-'))
      try {
        execFileSync(
          'openssl',
          [
            'req',
            '-x509',
            '-newkey',
            'ec',
            '-pkeyopt',
            'ec_paramgen_curve:prime256v1',
            '-nodes',
            '-days',
            '1',
            '-subj',
            '/CN=localhost',
            '-keyout',
            join(folder, 'key'),
            '-out',
            join(folder, 'cert'),
          ],
          { stdio: 'ignore' },
        )
        const server = createTlsServer(
          { key: readFileSync(join(folder, 'key')), cert: readFileSync(join(folder, 'cert')) },
          (_request, response) => response.end('x'),
        )
        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
        closers.push(() => {
          server.closeAllConnections()
          server.close()
        })
        return portOf(server.address())
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
  })

  test('10,000 calls share a few connections, and different policies share none', async () => {
    let connections = 0
    const server = createServer((_request, response) => response.end('x'))
    server.on('connection', () => (connections += 1))
    const url = `http://127.0.0.1:${await listen(server)}/`
    for (let batch = 0; batch < 500; batch++) await Promise.all(Array.from({ length: 20 }, () => get(url)))
    assert.ok(connections <= 32, `${connections} connections`)
    const before = connections
    await get(url, { policy: strict, trustedHost: '127.0.0.1' })
    assert.equal(connections, before + 1)
  })

  test('closing breaks off what runs and refuses what comes', async () => {
    const own = open()
    const port = await serve(() => undefined)
    const request: EgressRequest = {
      method: 'GET',
      url: `http://127.0.0.1:${port}/`,
      policy: here,
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      maxBytes: 10,
    }
    const running = own.request(request)
    setTimeout(() => void own.close(), 50)
    await fails('cancelled', running)
    await fails('cancelled', own.request(request))
  })
})
