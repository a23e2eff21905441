// Which address a connection goes to, and which name it is made for: real DNS, real TLS, real sockets.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parseCidr } from '../../lib/ip.ts'
import { systemClock } from '../system.ts'
import type { Lookup } from './resolve-name.ts'
import { openEgress } from './egress.ts'
import type { Egress, EgressDeps, EgressRequest } from './egress.ts'
import { EgressError } from './error.ts'

const closers: (() => unknown)[] = []
const ask = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  method: 'GET',
  url,
  policy: { blockInternal: true, allow: [parseCidr('127.0.0.0/8') ?? assert.fail()] },
  signal: new AbortController().signal,
  timeoutMs: 20_000,
  maxBytes: 100_000,
  ...more,
})

function open(deps: Partial<EgressDeps> = {}): Egress {
  const egress = openEgress({ clock: systemClock, ...deps })
  closers.push(() => egress.close())
  return egress
}

async function listen(server: Server & { readonly closeAllConnections: () => void }): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return address.port
}

const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener))
const here: Lookup = () => Promise.resolve(['127.0.0.1'])

async function fails(code: string, answer: Promise<unknown>, message = /./): Promise<void> {
  await assert.rejects(answer, (error: unknown) => {
    assert.ok(error instanceof EgressError, String(error))
    assert.deepEqual([error.code, message.test(error.message)], [code, true], error.message)
    return true
  })
}

describe('connections', () => {
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })

  describe('DNS', () => {
    test('is asked once for each connection, not for each request', async () => {
      let asked = 0
      const port = await serve((_request, response) => response.end())
      const egress = open({
        lookup: host => {
          asked += 1
          return here(host)
        },
      })
      for (let call = 0; call < 50; call++) await egress.request(ask(`http://name.example.com:${port}/`))
      assert.ok(asked <= 2, `asked ${asked} times`)
    })

    test('a server that never answers is a name without an address, long before the deadline', async () => {
      const silent = createSocket('udp4')
      silent.bind(0, '127.0.0.1')
      await once(silent, 'listening')
      const resolver = new Resolver({ timeout: 60_000 })
      closers.push(
        () => silent.close(),
        () => resolver.cancel(),
      )
      resolver.setServers([`127.0.0.1:${silent.address().port}`])
      const impatient = {
        ...systemClock,
        sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 100, signal),
      }
      const egress = open({ clock: impatient, lookup: host => resolver.resolve4(host) })
      await fails('dns_error', egress.request(ask('http://name.example.com/', { timeoutMs: 2_000_000 })), /within 5 s/)
    })

    test('an address that answers nothing gives way to the next of the judged ones', async () => {
      const port = await serve((_request, response) => response.end('second'))
      const egress = open({ lookup: () => Promise.resolve(['127.0.0.99', '127.0.0.1']) })
      const { body } = await egress.request(ask(`http://name.example.com:${port}/`))
      assert.equal(Buffer.from(body).toString(), 'second')
    })

    test('an answer that cannot be judged is no answer', async () => {
      for (const answer of ['fe80::1%eth0', '0x7f.1', '127.1', ''])
        await fails(
          'dns_error',
          open({ lookup: () => Promise.resolve([answer]) }).request(ask('http://name.example.com/')),
        )
    })
  })

  describe('exemptions', () => {
    test('are told where they were needed, and only there', async () => {
      const port = await serve((_request, response) => response.end())
      const egress = open({ lookup: here })
      const url = `http://name.example.com:${port}/`
      assert.equal((await egress.request(ask(url))).exempt, true)
      assert.equal((await egress.request(ask(url))).exempt, true, 'on a kept connection too')
      const loose = { blockInternal: false, allow: [] }
      assert.equal((await egress.request(ask(url, { policy: loose }))).exempt, false)
      const strict = { blockInternal: true, allow: [] }
      const named = { policy: strict, trustedHost: 'name.example.com' }
      assert.equal((await egress.request(ask(url, named))).exempt, false)
      await fails('blocked', egress.request(ask(url, { policy: strict })))
    })

    test("never reach the gateway's own listeners", async () => {
      const port = await serve((_request, response) => response.end())
      const egress = open({ lookup: here, listeners: () => [{ address: '127.0.0.1', port }] })
      for (const host of ['127.0.0.1', 'name.example.com', '0.0.0.0', '[::ffff:127.0.0.1]'])
        for (const more of [{}, { policy: { blockInternal: false, allow: [] } }, { trustedHost: host }])
          await fails(
            'blocked',
            egress.request(ask(`http://${host}:${port}/`, { ...more })),
            host === '0.0.0.0' ? /./ : /itself/,
          )
    })
  })

  test('headers of the connection cannot be set', async () => {
    const port = await serve((_request, response) => response.end())
    for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'Proxy-Authorization', 'Upgrade'])
      for (const where of ['headers', 'injected'])
        await fails('bad_request', open().request(ask(`http://127.0.0.1:${port}/`, { [where]: { [name]: 'x' } })))
    for (const value of ['a\r\nb', 'a\u0000b', 'a\u010d\u010ab'])
      await fails('bad_request', open().request(ask(`http://127.0.0.1:${port}/`, { headers: { 'x-a': value } })))
  })

  describe('TLS', () => {
    let folder: string
    let key: string
    let cert: string
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'tls-'))
      const flags = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -keyout key -out cert'
      const names = ['-subj', '/CN=unused', '-addext', 'subjectAltName=DNS:api.example.com']
      execFileSync('openssl', [...flags.split(' '), ...names], { cwd: folder, stdio: 'ignore' })
      key = readFileSync(join(folder, 'key'), 'utf8')
      cert = readFileSync(join(folder, 'cert'), 'utf8')
    })
    after(() => rmSync(folder, { recursive: true }))

    /** What requests to these URLs come to in a process that trusts the certificate, as an operator makes it do. */
    async function trusting(urls: readonly string[]): Promise<unknown> {
      const env = { NODE_EXTRA_CA_CERTS: join(folder, 'cert') }
      return JSON.parse(
        await run(
          `
      const egress = openEgress({ clock: systemClock, lookup: async () => ['127.0.0.1'] })
      const ask = url => egress.request({ url, ...more }).then(({ status }) => status, ({ code }) => code)
      console.log(JSON.stringify(await Promise.all(${JSON.stringify(urls)}.map(ask))))
      await egress.close()`,
          env,
        ),
      )
    }

    test('keeps the name: SNI, Host and certificate, though the socket goes to an address', async () => {
      const seen: unknown[] = []
      const port = await listen(
        createTlsServer({ key, cert, ALPNProtocols: ['h2', 'http/1.1'] }, (request, response) => {
          const { socket } = request
          seen.push([request.httpVersion, request.headers.host, 'servername' in socket ? socket.servername : undefined])
          response.end('x')
        }),
      )
      const hosts = ['api.example.com', 'other.example.com', '127.0.0.1']
      assert.deepEqual(await trusting(hosts.map(host => `https://${host}:${port}/`)), [200, 'tls_error', 'tls_error'])
      assert.deepEqual(seen, [['1.1', `api.example.com:${port}`, 'api.example.com']])
      const untrusting = open({ lookup: here })
      await fails('tls_error', untrusting.request(ask(`https://api.example.com:${port}/`)))
    })

    test('a redirect from https to http is refused', async () => {
      const plain = await serve((_request, response) => response.end())
      const port = await listen(
        createTlsServer({ key, cert }, (_request, response) =>
          response.writeHead(302, { location: `http://api.example.com:${plain}/` }).end(),
        ),
      )
      assert.deepEqual(await trusting([`https://api.example.com:${port}/`]), ['redirect_refused'])
    })
  })

  test('a program that closes its egress ends by itself', async () => {
    const port = await serve((_request, response) => response.end('x'))
    // A kept connection, the deadline's timer or a listener would hold it until it is killed, which rejects.
    await run(`
    const egress = openEgress({ clock: systemClock })
    await egress.request({ url: 'http://127.0.0.1:${port}/', ...more })
    await Promise.all([egress.close(), egress.close()])`)
  })
})

/** Runs a program of its own that has an egress to open. */
async function run(program: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const at = (file: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, file)).href)
  const head = `
    const { openEgress } = await import(${at('egress.ts')})
    const { systemClock } = await import(${at('../system.ts')})
    const more = { method: 'GET', policy: { blockInternal: false, allow: [] }, timeoutMs: 60000, maxBytes: 10,
      signal: new AbortController().signal }`
  const flags = ['--input-type=module', '-e', head + program]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: 15_000, env })
  return stdout
}
