// Requests of `[http]` against a real server: what arrives there, and what comes back. `HOST` in a manifest and in what is
// wanted stands for the server's address, `PORT` for its port.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { http } from '../../../src/backends/http/index.ts'
import type { Ready } from '../../../src/backends/backend.ts'
import { isJsonObject } from '../../../src/core/json.ts'
import type { JsonObject, JsonValue } from '../../../src/core/json.ts'
import type { Refusal } from '../../../src/core/outcome.ts'
import { LOCAL } from '../../../src/core/principal.ts'
import type { Tool } from '../../../src/core/tool.ts'
import { openEnvironmentStore } from '../../../src/credentials/environment.ts'
import { openSecrets } from '../../../src/credentials/secrets.ts'
import { openEgress } from '../../../src/io/egress/egress.ts'
import { systemClock, systemIds } from '../../../src/io/system.ts'
import { parseRange } from '../../../src/lib/ip.ts'
import { loadFragment, onlyTool } from './kinds.ts'

const json: z.ZodType<JsonValue> = z.json()
const members = z.record(z.string(), json)

const httpCase = z.strictObject({
  manifest: z.string(),
  args: members.default({}),
  /** What the gateway's environment holds. */
  environment: z.record(z.string(), z.string()).default({}),
  allow_internal: z.array(z.string()).default([]),
  /** What the server says; `echo` sends the request's own body back, `silent` nothing at all. */
  answer: z
    .strictObject({
      status: z.number().default(200),
      headers: z.record(z.string(), z.string()).default({}),
      body: z.string().default(''),
      body_base64: z.base64().optional(),
      silent: z.boolean().default(false),
    })
    .prefault({}),
  /** Members of the request as it arrived; of the headers those that are named, null for one that must not be there. */
  want_request: z
    .strictObject({
      method: z.string().optional(),
      url: z.string().optional(),
      headers: z.record(z.string(), z.string().nullable()).default({}),
      body: z.string().optional(),
    })
    .optional(),
  want_preview: members.optional(),
  /** Members of the envelope, each compared as a whole; null for one that must not be there. */
  want: members.optional(),
  want_error: z.strictObject({ code: z.string(), exit: z.number() }).optional(),
  want_refusals: z.array(z.strictObject({ argument: z.string(), fence: z.string() })).optional(),
})

type HttpCase = z.infer<typeof httpCase>

export async function checkHttp(input: unknown): Promise<void> {
  const given = httpCase.parse(input)
  await using opened = new AsyncDisposableStack()
  const { address, seen } = await listen(given.answer, opened)
  const tool = load(given.manifest, address)
  const resolved = await resolve(tool, { given, address, opened })
  if ('refusals' in resolved) {
    const found = resolved.refusals.map(({ argument, fence }) => ({ argument, fence }))
    assert.deepEqual(found, given.want_refusals, JSON.stringify(resolved.refusals))
    return
  }
  assert.equal(given.want_refusals, undefined)
  if (given.want_preview !== undefined) assert.deepEqual(generalized(resolved.preview, address), given.want_preview)
  await checkRun(tool, resolved, { given, address, seen })
}

interface Resolving {
  readonly given: HttpCase
  readonly address: string
  readonly opened: AsyncDisposableStack
}

async function resolve(
  tool: Tool,
  { given, address, opened }: Resolving,
): Promise<Ready | { readonly refusals: readonly Refusal[] }> {
  const egress = openEgress({ clock: systemClock, lookup: async () => ['127.0.0.1'] })
  opened.defer(() => egress.close())
  const evidenceRoot = mkdtempSync(join(tmpdir(), 'http-conformance-'))
  opened.defer(() => rmSync(evidenceRoot, { recursive: true }))
  const read = (name: string): string | undefined => given.environment[name]
  const backend = http.open({
    egress,
    secrets: openSecrets(openEnvironmentStore({ read }), { read }),
    clock: systemClock,
    ids: systemIds,
    evidenceRoot,
    allowInternal: given.allow_internal.flatMap(text => parseRange(text) ?? []),
  })
  const { callable } = await backend.prepare(tool)
  const validation = tool.validate(placedArguments(given.args, address))
  if (!validation.ok) return validation
  const resolution = await callable.resolve(validation.values, { lookups: true, signal: NEVER })
  if (resolution.status === 'ready') return resolution.ready
  return resolution.status === 'refused' ? resolution : assert.fail(JSON.stringify(resolution))
}

const NEVER = new AbortController().signal

interface Running {
  readonly given: HttpCase
  readonly address: string
  readonly seen: readonly Seen[]
}

async function checkRun(tool: Tool, ready: Ready, { given, address, seen }: Running): Promise<void> {
  const context = { id: 'x', principal: LOCAL, signal: NEVER, clock: systemClock, progress: () => {}, approved: false }
  const found = await tool.interpret(await ready.run(context))
  const value = generalized(found.result.value, address)
  assert.ok(isJsonObject(value))
  const shown = JSON.stringify([value, ready.preview])
  for (const secret of Object.values(given.environment)) assert.ok(!shown.includes(secret), `${shown} holds a secret`)
  const { want = {}, want_request: request } = given
  assert.deepEqual(
    found.ok ? undefined : { code: found.code, exit: found.exit },
    given.want_error,
    JSON.stringify(value),
  )
  for (const [name, member] of Object.entries(want))
    assert.deepEqual({ [name]: value[name] ?? null }, { [name]: member })
  if (request === undefined) return
  const [first] = seen
  assert.ok(first !== undefined, 'no request arrived')
  if (request.method !== undefined) assert.equal(first.method, request.method)
  if (request.url !== undefined) assert.equal(first.url, request.url)
  if (request.body !== undefined) assert.equal(first.body, request.body)
  for (const [name, header] of Object.entries(request.headers))
    assert.equal(first.headers[name] ?? null, header === null ? null : placed(header, address))
}

function load(manifest: string, address: string): Tool {
  const text = [
    placed(manifest, address),
    ...(manifest.includes('[tool]') ? [] : ['[tool]\nname = "sample"\nversion = "1.0.0"\ndescription = "A sample"']),
    ...(manifest.includes('[output]') ? [] : ['[output]\nformat = "text"']),
  ].join('\n')
  return onlyTool(loadFragment({ manifest: text, bare: true }))
}

function placed(text: string, address: string): string {
  return text.replaceAll('HOST', address).replaceAll('PORT', portOf(address))
}

function placedArguments(args: JsonObject, address: string): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? placed(value, address) : value]),
  )
}

function generalized(value: JsonValue, address: string): JsonValue {
  const text = JSON.stringify(value).replaceAll(address, 'HOST')
  return json.parse(JSON.parse(text.replaceAll(portOf(address), 'PORT')))
}

function portOf(address: string): string {
  return address.slice(address.lastIndexOf(':') + 1)
}

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

async function listen(answer: HttpCase['answer'], opened: AsyncDisposableStack) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', chunk => (body += String(chunk)))
    request.once('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      if (answer.silent) return
      response.writeHead(answer.status, answer.headers)
      response.end(answer.body_base64 === undefined ? answer.body : Buffer.from(answer.body_base64, 'base64'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  assert.ok(typeof bound === 'object' && bound !== null)
  return { address: `127.0.0.1:${bound.port}`, seen }
}
