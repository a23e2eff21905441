// Described APIs against a real server: what is sent, what comes back, and what never leaves.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { CallContext } from '../../core/call.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Outcome } from '../../core/outcome.ts'
import { LOCAL } from '../../core/principal.ts'
import type { Interpretation, Tool } from '../../core/tool.ts'
import { openEnvironmentStore } from '../../credentials/environment.ts'
import type { ApiDeployment } from '../../formats/format.ts'
import { load as loadDadl } from '../../formats/dadl/load.ts'
import { openEgress } from '../../io/egress/egress.ts'
import { systemClock } from '../../io/system.ts'
import type { Backend } from '../backend.ts'
import { rest } from './index.ts'

const SECRET = 'sk-very-secret-value-42'

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

describe('a described API', () => {
  const seen: Seen[] = []
  let respond: RequestListener = (_request, response) => response.end('{}')
  let url = ''
  const variables: Record<string, string> = {
    CREDENTIAL_API_KEY: SECRET,
    CREDENTIAL_OTHER_KEY: 'another-secret-value',
    CREDENTIAL_EMPTY: '',
    CREDENTIAL_BROKEN: 'a\r\nX: y',
  }
  const egress = openEgress({ clock: systemClock })
  let backend: Backend
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', chunk => (body += String(chunk)))
    request.once('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      respond(request, response)
    })
  })
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    url = `http://127.0.0.1:${address.port}`
    backend = rest.open({ egress, credentials: openEnvironmentStore({ read: name => variables[name] }) })
  })
  after(async () => {
    await egress.close()
    server.closeAllConnections()
    server.close()
  })

  interface Described {
    readonly tool: string
    readonly auth?: string
    readonly defaults?: string
    readonly baseUrl?: string
    readonly api?: Partial<ApiDeployment> | null
  }

  function load({
    tool,
    auth = '{type: bearer, credential: none}',
    defaults = '{}',
    baseUrl,
    api = {},
  }: Described): Tool {
    const text = `spec: https://dadl.ai/spec/dadl-spec-v0.2.md
backend:
  name: test
  type: rest
  description: d
  ${baseUrl === undefined ? '' : `base_url: ${baseUrl}`}
  auth: ${auth}
  defaults: ${defaults}
  tools:
    t: ${tool}
`
    const deployed = { name: 'test', file: '/x', url: `${url}/base/`, allowPrivate: false, credentials: {} }
    const { tools, diagnostics } = loadDadl(text, {
      root: '/',
      ...(api === null ? {} : { api: { ...deployed, ...api } }),
    })
    const [loaded] = tools
    assert.ok(loaded, JSON.stringify(diagnostics))
    return loaded
  }

  const ctx: CallContext = {
    id: 'x',
    principal: LOCAL,
    signal: new AbortController().signal,
    clock: systemClock,
    progress: () => {},
    approved: false,
  }

  async function call(described: Described, args: JsonObject = {}): Promise<Interpretation | Outcome> {
    seen.length = 0
    const tool = load(described)
    const validation = tool.validate(args)
    if (!validation.ok) return { status: 'denied', by: 'argument', refusals: validation.refusals }
    const { callable } = await backend.prepare(tool)
    const resolution = await callable.resolve(validation.values, { lookups: true, signal: ctx.signal })
    if (resolution.status !== 'ready')
      return { status: 'denied', by: 'backend', code: 'x', reason: JSON.stringify(resolution) }
    return tool.interpret(await resolution.ready.run(ctx))
  }

  async function value(described: Described, args?: JsonObject): Promise<unknown> {
    const found = await call(described, args)
    assert.ok('ok' in found, JSON.stringify(found))
    return found.ok ? found.result.value : found.result?.value
  }

  const get = (more = ''): string => `{method: GET, path: /x, description: d${more}}`

  describe('sends', () => {
    test('path, query, header and body parameters, defaults too, where they belong', async () => {
      const tool = `{method: POST, path: "/a/{id}/b{n}?fixed=1", description: d, params: {
        id: {type: string, in: path, required: true}, n: {type: integer, in: path, default: 7},
        tags: {type: array, in: query}, page: {type: integer, in: query, default: 2},
        X-Trace: {type: string, in: header}, name: {type: string, in: body}, deep: {type: object, in: body}, none: {type: string, in: body}}}`
      await value(
        { tool, defaults: '{headers: {X-Api: "1", Content-Type: text/plain, ACCEPT: application/vnd.x+json}}' },
        { id: 'ä/..', tags: ['a b', 'c&d'], 'X-Trace': 'yes', name: 'n', deep: { a: [1] }, none: null },
      )
      const [{ method, url: sent, headers, body } = assert.fail()] = seen
      assert.equal(`${method} ${sent}`, 'POST /base/a/%C3%A4%2F../b7?fixed=1&tags=a%20b&tags=c%26d&page=2')
      assert.deepEqual(
        [headers['x-api'], headers['x-trace'], headers['content-type'], headers.accept],
        ['1', 'yes', 'application/json', 'application/vnd.x+json'],
      )
      assert.deepEqual(JSON.parse(body), { name: 'n', deep: { a: [1] }, none: null })
    })

    test('no body and no content type where there is none to send', async () => {
      for (const method of ['GET', 'DELETE', 'HEAD', 'POST']) {
        await value({ tool: `{method: ${method}, path: /x/, description: d}` })
        const [{ method: sent, url: path, headers, body } = assert.fail()] = seen
        assert.deepEqual([sent, path, headers['content-type'], body], [method, '/base/x/', undefined, ''])
      }
    })

    test('every credential where the document says, and none where it says none', async () => {
      const headerOf = async (auth: string): Promise<readonly unknown[]> => {
        await value({ tool: get(), auth })
        const [{ headers, url: sent } = assert.fail()] = seen
        return [headers.authorization, headers['x-api-key'], headers['x-own'], sent]
      }
      assert.deepEqual(await headerOf('{type: bearer, credential: api-key}'), [
        `Bearer ${SECRET}`,
        undefined,
        undefined,
        '/base/x',
      ])
      assert.deepEqual(await headerOf('{type: bearer, credential: api-key, header_name: X-Own, prefix: "Token "}'), [
        undefined,
        undefined,
        `Token ${SECRET}`,
        '/base/x',
      ])
      assert.deepEqual(await headerOf('{type: apikey, credential: api-key}'), [undefined, SECRET, undefined, '/base/x'])
      assert.deepEqual(await headerOf('{type: api_key, credential: api-key, inject_into: query, query_param: key}'), [
        undefined,
        undefined,
        undefined,
        `/base/x?key=${SECRET}`,
      ])
      assert.deepEqual(await headerOf('{type: bearer, credential: none}'), [undefined, undefined, undefined, '/base/x'])
    })
  })

  describe('sends nothing else', () => {
    test('where parameters are called like members of every object', async () => {
      const tool = `{method: POST, path: "/x?of={id}", description: d, params: {id: {type: string, in: path}, constructor: {type: string, in: query},
        toString: {type: string, in: header}, valueOf: {type: string, in: body}}}`
      await value(
        { tool, auth: '{type: bearer, credential: constructor}', api: { credentials: { constructor: 'none' } } },
        { id: 'a&b={id}' },
      )
      const [{ url: sent, headers, body } = assert.fail()] = seen
      assert.deepEqual([sent, headers['tostring'], body], ['/base/x?of=a%26b%3D%7Bid%7D', undefined, ''])
    })

    test('under the name of the auth header, whatever the document presets', async () => {
      await value({
        tool: get(),
        auth: '{type: bearer, credential: api-key}',
        defaults: '{headers: {AUTHORIZATION: mine}}',
      })
      assert.equal(seen[0]?.headers.authorization, `Bearer ${SECRET}`)
      await value({
        tool: get(),
        auth: '{type: apikey, credential: api-key}',
        defaults: '{headers: {x-api-key: mine}}',
      })
      assert.equal(seen[0]?.headers['x-api-key'], SECRET)
    })

    test('as the type of its body than what the document says', async () => {
      const tool =
        '{method: PATCH, path: /x, description: d, content_type: application/merge-patch+json, params: {a: {type: string, in: body, default: x}}}'
      await value({ tool }, { a: null })
      assert.deepEqual(
        [seen[0]?.headers['content-type'], seen[0]?.body],
        ['application/merge-patch+json', '{"a":null}'],
      )
    })

    test('than what the deployment gave to a second API', async () => {
      const auth = '{type: bearer, credential: mine}'
      const credentials = { mine: 'other-key' }
      for (const host of ['127.0.0.1', 'localhost']) {
        await value({ tool: get(), auth, api: { url: url.replace('127.0.0.1', host), credentials } })
        assert.equal(seen[0]?.headers.authorization, 'Bearer another-secret-value')
      }
    })
  })

  describe('sends nothing', () => {
    const codeOf = async (described: Described, args?: JsonObject): Promise<unknown> => {
      const found = await call(described, args)
      assert.equal(seen.length, 0)
      return 'ok' in found && !found.ok ? found.code : found
    }

    test('without its credential, with an empty or a broken one', async () => {
      for (const name of ['missing', 'empty', 'broken'])
        assert.equal(await codeOf({ tool: get(), auth: `{type: bearer, credential: ${name}}` }), 'credential_missing')
    })

    test('without an address, or to an internal one that nobody named', async () => {
      assert.equal(await codeOf({ tool: get(), api: null }), 'not_configured')
      assert.equal(await codeOf({ tool: get(), baseUrl: '"{WHERE}/api"', api: null }), 'not_configured')
      assert.equal(await codeOf({ tool: get(), baseUrl: url, api: null }), 'not_configured')
    })

    test('a credential to a second origin', async () => {
      const auth = '{type: bearer, credential: api-key}'
      await value({ tool: get(), auth })
      assert.equal(
        await codeOf({ tool: get(), auth, api: { url: url.replace('127.0.0.1', 'localhost') } }),
        'credential_missing',
      )
      // Another spelling of the same variable is the same credential.
      assert.equal(
        await codeOf({
          tool: get(),
          auth: '{type: bearer, credential: API.key}',
          api: { url: url.replace('127.0.0.1', 'localhost') },
        }),
        'credential_missing',
      )
    })

    test('a path or a credential that arguments would change', async () => {
      const dots = '{method: GET, path: "/a/%2{x}%2{x}/b", description: d, params: {x: {type: string, in: path}}}'
      const object = '{method: GET, path: /x, description: d, params: {a: {type: object, in: query}}}'
      const auth = '{type: apikey, credential: api-key, inject_into: query, query_param: "a[b]"}'
      for (const [described, args, code] of [
        [{ tool: dots }, { x: 'e' }, 'path_changed'],
        [{ tool: object, auth }, { a: { b: 'mine' } }, 'credential_replaced'],
      ] as const)
        assert.match(JSON.stringify(await codeOf(described, args)), new RegExp(code))
    })

    test('what the types do not admit', async () => {
      const tool = `{method: GET, path: "/{p}/{q}", description: d, params: {p: {type: string, in: path}, q: {type: string, in: path, default: x},
        i: {type: integer, in: query}, b: {type: boolean, in: query}, a: {type: array, in: query}, o: {type: object, in: query}, l: {type: array, in: header}, h: {type: string, in: header}}}`
      const nested = (levels: number): JsonObject => {
        let deep: JsonObject = {}
        for (let level = 0; level < levels; level++) deep = { a: deep }
        return deep
      }
      const fences: readonly (readonly [JsonObject, string])[] = [
        [{}, 'p required'],
        [{ p: '..' }, 'p traversal'],
        [{ p: '.' }, 'p traversal'],
        [{ p: '' }, 'p empty'],
        [{ p: ['x'] }, 'p json_type'],
        [{ p: 'x', i: 1.5 }, 'i json_type'],
        [{ p: 'x', i: '1e3' }, 'i json_type'],
        [{ p: 'x', b: 'yes' }, 'b json_type'],
        [{ p: 'x', a: 'x' }, 'a json_type'],
        [{ p: 'x', h: 'a\r\nb' }, 'h control'],
        [{ p: 'x', h: '🚪' }, 'h non_ascii'],
        [{ p: '\ud800' }, 'p surrogate'],
        [{ p: 'x', l: ['a\r\nX-Evil: 1'] }, 'l control'],
        [{ p: 'x', l: ['\u{1f6aa}'] }, 'l non_ascii'],
        [{ p: 'x', a: ['\ud800'] }, 'a surrogate'],
        [{ p: 'x', o: { '\ud800': 1 } }, 'o surrogate'],
        [{ p: 'x', o: nested(100_000) }, 'o json_type'],
        [{ p: 'x', z: 1 }, 'z unknown_argument'],
      ]
      for (const [args, want] of fences) {
        const found = await call({ tool }, args)
        assert.ok(!('ok' in found) && found.status === 'denied' && 'refusals' in found, want)
        assert.deepEqual(
          found.refusals.map(r => `${r.argument} ${r.fence}`),
          [want],
        )
      }
    })

    test('what this version cannot do as described', async () => {
      for (const described of [
        { tool: get(', response: {transform: ".a"}') },
        { tool: get(', response: {binary: true}') },
        { tool: get(), auth: '{type: basic, username_credential: u}' },
      ]) {
        const found = await call(described)
        assert.ok(!('ok' in found) && found.status === 'denied' && found.by === 'backend', JSON.stringify(found))
        assert.equal(seen.length, 0)
      }
    })
  })

  describe('answers', () => {
    const answering = (status: number, body: string | Buffer, headers: Record<string, string> = {}): void => {
      respond = (_request, response) => response.writeHead(status, headers).end(body)
    }

    test('with what the result path leads to, else nothing; cut to max_items', async () => {
      answering(200, '{"data": [1, 2, 3], "meta": {"secret": 1}}')
      assert.deepEqual(await value({ tool: get(', response: {result_path: $.data}') }), [1, 2, 3])
      assert.deepEqual(await value({ tool: get(', response: {result_path: $.data, max_items: 2}') }), [1, 2])
      assert.deepEqual(await value({ tool: get(', response: {result_path: "$.data[*]"}') }), [1, 2, 3])
      assert.equal(await value({ tool: get(', response: {result_path: $.nothing}') }), null)
      assert.deepEqual(await value({ tool: get(), defaults: '{response: {result_path: "$.data[0]"}}' }), 1)
      assert.deepEqual(
        await value({ tool: get(', response: {max_items: 5}'), defaults: '{response: {result_path: "$.data[0]"}}' }),
        { data: [1, 2, 3], meta: { secret: 1 } },
      )
    })

    test('with null for nothing, text for text, and an error for bytes', async () => {
      answering(204, '')
      assert.equal(await value({ tool: get() }), null)
      answering(200, '')
      assert.equal(await value({ tool: get() }), null)
      answering(200, 'plain text')
      assert.equal(await value({ tool: get() }), 'plain text')
      assert.equal(await value({ tool: get(', response: {result_path: $.a}') }), null)
      answering(200, Buffer.from([0xff, 0xfe]))
      assert.match(JSON.stringify(await value({ tool: get() })), /response_error/)
    })

    test('with null where nothing came, though a list was asked for', async () => {
      for (const [status, body] of [
        [204, ''],
        [200, 'plain text'],
      ] as const) {
        answering(status, body)
        assert.equal(await value({ tool: get(', response: {result_path: "$.data[*]"}') }), null)
      }
    })

    test('with an error for what is nested too deeply, whatever the status', async () => {
      const deep = '['.repeat(100_000) + ']'.repeat(100_000)
      answering(200, deep)
      assert.match(JSON.stringify(await value({ tool: get() })), /response_error/)
      answering(400, deep)
      assert.match(JSON.stringify(await value({ tool: get(', errors: {message_path: $}') })), /HTTP 400/)
      answering(200, JSON.stringify('[{'.repeat(100_000)))
      assert.equal(await value({ tool: get() }), '[{'.repeat(100_000))
    })

    test('with the first of a million items', async () => {
      answering(200, JSON.stringify({ data: Array.from({ length: 1_000_000 }, (_, index) => index) }))
      assert.deepEqual(await value({ tool: get(', response: {result_path: "$.data[*]", max_items: 2}') }), [0, 1])
    })

    test('with a byte order mark, a member named __proto__, and the last of two members', async () => {
      answering(200, Buffer.from('\ufeff{"__proto__": {"a": 1}, "b": 1, "b": 2}'), { 'content-type': 'text/html' })
      assert.deepEqual(await value({ tool: get(', response: {result_path: $.__proto__.a}') }), 1)
      assert.deepEqual(await value({ tool: get(', response: {result_path: $.b}') }), 2)
      assert.equal(await value({ tool: get(', response: {result_path: $.constructor}') }), null)
    })

    test('with the error object, by status, map and paths, never with the raw body', async () => {
      const errors =
        ', errors: {message_path: $.error.message, code_path: $.error.code, map: {400: not_found, 418: teapot}}'
      const error = async (status: number, body: string, more = errors, headers = {}): Promise<unknown> => {
        answering(status, body, headers)
        const found = await value({ tool: get(more) })
        assert.ok(typeof found === 'object' && found !== null && 'error' in found)
        return found.error
      }
      const base = { retryable: false, tool: 'test_t' }
      assert.deepEqual(await error(400, '{"error": {"message": "gone", "code": 7}}'), {
        ...base,
        code: 'not_found',
        message: 'gone',
        http_status: 400,
        provider_code: 7,
      })
      assert.deepEqual(await error(418, '<html>'), { ...base, code: 'teapot', message: 'HTTP 418', http_status: 418 })
      assert.deepEqual(await error(429, '{}', errors, { 'retry-after': '30' }), {
        ...base,
        code: 'rate_limited',
        message: 'HTTP 429',
        http_status: 429,
        retryable: true,
        retry_after: 30,
      })
      assert.deepEqual(await error(451, '{}'), { ...base, code: 'client_error', message: 'HTTP 451', http_status: 451 })
      assert.deepEqual(await error(599, '{}'), { ...base, code: 'server_error', message: 'HTTP 599', http_status: 599 })
      for (const message of ['null', '""'])
        assert.deepEqual(await error(404, `{"error": {"message": ${message}}}`), {
          ...base,
          code: 'not_found',
          message: 'HTTP 404',
          http_status: 404,
        })
      assert.deepEqual(await error(409, 'in use', ', errors: {format: text}'), {
        ...base,
        code: 'conflict',
        message: 'in use',
        http_status: 409,
      })
      assert.deepEqual(await error(500, '{"a": 1}', ', errors: {message_path: $}'), {
        ...base,
        code: 'internal',
        message: '{"a":1}',
        http_status: 500,
      })
    })

    test('without the secret, however the server spells it back', async () => {
      const spellings = [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64')]
      answering(401, JSON.stringify({ error: { message: spellings.join(' ') } }))
      const found = await value({
        tool: get(', errors: {message_path: $.error.message}'),
        auth: '{type: bearer, credential: api-key}',
      })
      for (const spelling of spellings) assert.doesNotMatch(JSON.stringify(found), new RegExp(spelling))
      assert.match(JSON.stringify(found), /\[secret\]/)
    })

    test('without the secret, however JSON escapes it', async () => {
      const escaped = Array.from(SECRET, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`).join(
        '',
      )
      const partly = SECRET.replace('v', String.raw`\u0076`)
      for (const spelling of [escaped, partly]) {
        answering(200, `{"a": "x\\"${spelling}", "${spelling}": 1, "b": "\\\\u0041"}`)
        const found = await value({ tool: get(), auth: '{type: bearer, credential: api-key}' })
        assert.deepEqual(found, { a: 'x"[secret]', '[secret]': 1, b: String.raw`\u0041` })
      }
    })

    test('with the transport code where there was no answer', async () => {
      respond = (request, response) => {
        response.destroy()
        request.destroy()
      }
      assert.deepEqual(await value({ tool: get() }), {
        error: {
          code: 'unavailable',
          message: 'the connection broke, or the answer was not valid HTTP',
          retryable: true,
          error_code: 'protocol_error',
          tool: 'test_t',
        },
      })
    })

    test('a result that is no object as {result} over MCP', async () => {
      answering(200, '[1]')
      const found = await call({ tool: get() })
      assert.ok('ok' in found && found.ok)
      assert.deepEqual(found.result.mcp, { text: [1], structured: { result: [1] } })
    })
  })
})
