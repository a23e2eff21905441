// Servers that mean harm, and what is left of an exchange: evidence, and no secret anywhere.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import type { CallContext } from '../../core/call.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { LOCAL } from '../../core/principal.ts'
import { openEnvironmentStore } from '../../credentials/environment.ts'
import { openSecrets } from '../../credentials/secrets.ts'
import { FORMATS } from '../../formats/index.ts'
import { openEgress } from '../../io/egress/egress.ts'
import { systemClock, systemIds } from '../../io/system.ts'
import { http } from './index.ts'

const SECRET = 'sk-"very"/secret & value'

describe('http', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'http-test-')))
  const egress = openEgress({ clock: systemClock })
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  after(async () => {
    await egress.close()
    for (const socket of sockets) socket.destroy()
    for (const server of servers) server.close()
    rmSync(base, { recursive: true })
  })

  /** A server that says what it is told to, byte for byte, once it has heard something. */
  async function serve(talk: (socket: Socket, heard: string) => unknown): Promise<number> {
    const server = createServer(socket => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
      socket.once('data', heard => void talk(socket, heard.toString('latin1')))
    })
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    return address.port
  }

  interface Asked {
    readonly talk: (socket: Socket, heard: string) => unknown
    readonly tool?: string
    readonly request?: string
    readonly output?: string
    readonly evidenceRoot?: string
    readonly signal?: AbortSignal
  }

  async function ask(asked: Asked): Promise<{ readonly envelope: JsonObject; readonly evidence: string | undefined }> {
    const {
      talk,
      tool = '',
      request = 'url = "http://SERVER/"',
      output = '',
      signal = new AbortController().signal,
    } = asked
    const port = await serve(talk)
    const text = `[tool]\nname = "t"\nversion = "1.0.0"\ndescription = "A test"\n${tool}
[http]\n${request.replaceAll('SERVER', `127.0.0.1:${port}`)}\n[output]\nformat = "text"\n${output}`
    const { tools, diagnostics } = FORMATS.toolclad.load(text, { root: base })
    const [loaded] = tools
    assert.ok(loaded, JSON.stringify(diagnostics))
    const read = (name: string): string | undefined => (name === 'TOOLCLAD_SECRET_KEY' ? SECRET : undefined)
    const backend = http.open({
      egress,
      secrets: openSecrets(openEnvironmentStore({ read }), { read }),
      clock: systemClock,
      ids: systemIds,
      evidenceRoot: asked.evidenceRoot ?? join(base, 'evidence'),
      allowInternal: [],
    })
    const { callable } = await backend.prepare(loaded)
    const resolution = await callable.resolve({}, { lookups: true, signal })
    assert.ok(resolution.status === 'ready')
    const ctx: CallContext = {
      id: 'x',
      principal: LOCAL,
      signal,
      clock: systemClock,
      progress: () => {},
      approved: false,
    }
    const { value } = (await loaded.interpret(await resolution.ready.run(ctx))).result
    assert.ok(isJsonObject(value))
    const file = value['output_file']
    return { envelope: value, evidence: typeof file === 'string' ? readFileSync(file, 'latin1') : undefined }
  }

  const say =
    (...pieces: readonly (string | Uint8Array)[]) =>
    async (socket: Socket): Promise<void> => {
      for (const piece of pieces) await new Promise(done => socket.write(piece, done))
      socket.end()
    }

  /** The status, and the code of what went wrong. */
  async function outcome(asked: Asked): Promise<readonly unknown[]> {
    const { envelope } = await ask(asked)
    const { results } = envelope
    const error = isJsonObject(results) ? results['error'] : undefined
    return [envelope['status'], isJsonObject(error) ? error['code'] : undefined]
  }

  async function rawOutput(asked: Asked): Promise<unknown> {
    const { results } = (await ask(asked)).envelope
    return isJsonObject(results) ? results['raw_output'] : undefined
  }

  describe('a hostile server', () => {
    const broken = ['error', 'protocol_error']
    const one = 'timeout_seconds = 1'
    const cases: readonly (readonly [string, Asked, readonly unknown[]])[] = [
      ['with headers without end', { talk: flood('HTTP/1.1 200 OK\r\n', 'x: '.padEnd(1000, 'y') + '\r\n') }, broken],
      [
        'with two lengths',
        { talk: say('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab') },
        broken,
      ],
      [
        'with a length and chunks',
        { talk: say('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n') },
        broken,
      ],
      ['that does not speak HTTP', { talk: say('SSH-2.0-OpenSSH_9\r\n') }, broken],
      ['that hangs up', { talk: socket => socket.destroy() }, broken],
      ['with a status that is none', { talk: say('HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n') }, broken],
      [
        'with a status of no class',
        { talk: say('HTTP/1.1 700 No\r\nContent-Length: 0\r\n\r\n') },
        ['error', 'unexpected_status'],
      ],
      [
        'that switches protocols',
        { talk: say('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n') },
        broken,
      ],
      ['that says nothing', { talk: () => {}, tool: one }, ['timeout', undefined]],
      ['that says to go on without being asked', { talk: flood('', 'HTTP/1.1 100 Continue\r\n\r\n') }, broken],
      [
        'with hints for ever',
        { talk: flood('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), tool: one },
        ['timeout', undefined],
      ],
      [
        'with a bomb',
        {
          talk: say(
            'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n',
            gzipSync(Buffer.alloc(64 << 20)),
          ),
          output: 'max_bytes = 33554432',
        },
        ['error', 'response_too_large'],
      ],
      ['with an encoding nobody asked for', { talk: say('HTTP/1.1 200 OK\r\nContent-Encoding: x\r\n\r\n') }, broken],
    ]
    for (const [name, asked, want] of cases) test(name, async () => assert.deepEqual(await outcome(asked), want))

    test('with a body without end is cut at the cap, and the connection closed', async () => {
      let closed: Promise<unknown> | undefined
      const endless = flood('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '5\r\nabcde\r\n')
      const { envelope } = await ask({
        talk: socket => {
          closed = new Promise(done => socket.once('close', done))
          return endless(socket)
        },
        output: 'max_bytes = 7',
      })
      assert.deepEqual([envelope['status'], envelope['output_truncated']], ['success', true])
      assert.deepEqual(envelope['results'], { raw_output: 'abcdeab' })
      await closed
    })

    test('with a bomb smaller than the free size is cut like any body', async () => {
      const talk = say(
        'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n',
        gzipSync(Buffer.alloc(1 << 20, 'a')),
      )
      assert.equal(await rawOutput({ talk, output: 'max_bytes = 3' }), 'aaa')
    })

    test('that stops in the middle leaves what came', async () => {
      const talk = (socket: Socket): unknown => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')
      const { envelope, evidence } = await ask({ talk, tool: one })
      assert.deepEqual([envelope['status'], envelope['http_status'], envelope['exit_code']], ['timeout', 200, 1])
      assert.deepEqual([envelope['results'], evidence], [{ raw_output: 'half' }, 'half'])
    })

    test('that breaks off in the middle leaves what came', async () => {
      const { envelope } = await ask({ talk: say('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf') })
      assert.equal(envelope['status'], 'error')
      assert.equal(isJsonObject(envelope['results']) && envelope['results']['raw_output'], 'half')
    })

    test('that sends a body where there is none', async () => {
      for (const [method, status] of [
        ['HEAD', '200 OK'],
        ['GET', '204 No Content'],
      ] as const) {
        const talk = say(`HTTP/1.1 ${status}\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello`)
        assert.equal(await rawOutput({ talk, request: `method = "${method}"\nurl = "http://SERVER/"` }), '')
      }
    })

    test('is left when the caller leaves', async () => {
      const leave = new AbortController()
      const asked: Asked = { talk: () => leave.abort(), signal: leave.signal }
      assert.deepEqual(await outcome(asked), ['error', 'cancelled'])
    })
  })

  describe('a secret', () => {
    const request = 'url = "http://SERVER/?k={_secret:key}"\nheaders = { x-key = "{_secret:key}" }'

    test('is in nothing that is shown or kept, however it comes back (property)', async () => {
      const spell: readonly ((text: string) => string)[] = [
        text => text,
        encodeURIComponent,
        text => JSON.stringify(text),
        text => Buffer.from(text).toString('base64'),
        text => Buffer.from(`user:${text}`).toString('base64'),
        text => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
        text => JSON.stringify(JSON.stringify(text)),
      ]
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat({ max: spell.length - 1 }), { minLength: 1, maxLength: 4 }),
          fc.constantFrom('200 OK', '403 No', '302 Found', '500 Oh'),
          fc.nat({ max: 30 }),
          async (picks, status, at) => {
            const spelled = picks.map(pick => spell[pick]?.(SECRET) ?? '')
            const body = `<${spelled.join('|')}>`
            const headers = `HTTP/1.1 ${status}\r\nX-Echo: ${SECRET}\r\nLocation: /${encodeURIComponent(SECRET)}\r\nContent-Length: ${body.length}\r\n\r\n`
            const { envelope, evidence } = await ask({ talk: say(headers, body.slice(0, at), body.slice(at)), request })
            const kept = `${JSON.stringify(envelope)}\n${unquoted(envelope['results'])}\n${evidence ?? ''}`
            for (const form of [...spelled, SECRET]) assert.ok(!kept.includes(form), `${kept} holds ${form}`)
            assert.equal(envelope['output_redacted'], true)
          },
        ),
        { numRuns: 40 },
      )
    })

    test('is not even half there where the answer broke off', async () => {
      const talk = say(`HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nkey ${SECRET.slice(0, -1)}`)
      assert.equal(await rawOutput({ talk, request }), 'key [secret]')
    })

    test('is in no error either', async () => {
      const { envelope } = await ask({ talk: say(`HTTP/1.1 200 ${SECRET}\r\nX: ${SECRET}\0\r\n\r\n`), request })
      assert.equal(JSON.stringify(envelope).includes('sk-'), false)
    })
  })

  describe('evidence', () => {
    const hello = say('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')

    test('is a file of the owner alone that holds the body', async () => {
      const { envelope, evidence } = await ask({ talk: hello })
      const { output_file: file = '', scan_id: scanId = '' } = envelope
      assert.ok(typeof file === 'string' && typeof scanId === 'string')
      assert.equal(evidence, 'hello')
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.ok(file.endsWith(`${scanId}-t.txt`))
    })

    test('is not kept where the manifest says so', async () => {
      const evidenceRoot = join(base, 'none')
      const { envelope } = await ask({ talk: hello, tool: '[tool.evidence]\ncapture = false', evidenceRoot })
      assert.equal(envelope['output_file'], undefined)
      assert.throws(() => readdirSync(evidenceRoot), { code: 'ENOENT' })
    })

    test('has to be possible before anything is sent', async () => {
      const evidenceRoot = join(base, 'link')
      symlinkSync(tmpdir(), evidenceRoot)
      let heard = false
      const asked: Asked = { talk: () => (heard = true), evidenceRoot }
      assert.deepEqual(await outcome(asked), ['error', 'evidence_unavailable'])
      assert.equal(heard, false)
    })
  })
})

/** A beginning, and then the same for ever, as fast as it is taken. */
function flood(beginning: string, piece: string) {
  return async (socket: Socket): Promise<void> => {
    socket.write(beginning)
    const block = piece.repeat(Math.ceil(10_000 / piece.length))
    while (!socket.destroyed) await new Promise(done => socket.write(block, done))
  }
}

/** The texts as they are, without JSON's escapes. */
function unquoted(results: JsonValue | undefined): string {
  return isJsonObject(results)
    ? Object.values(results)
        .filter(value => typeof value === 'string')
        .join('\n')
    : ''
}
