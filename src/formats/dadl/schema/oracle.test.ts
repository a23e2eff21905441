// Our schema against the canonical one of the registry: the same verdict on documents that were changed in one place, but for
// the differences that are listed with a reason.
import { Ajv } from 'ajv'
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { load as loadYaml } from 'js-yaml'
import * as z from 'zod'
import { generatedSchemas } from '../../../../scripts/schemas.ts'
import { isJsonObject } from '../../../core/json.ts'
import { fromPointer, toPointer } from '../../../lib/pointer.ts'
import { readDocument } from '../read-document.ts'
import { KNOWN_SPEC_URL } from '../spec.ts'

const root = join(import.meta.dirname, '../../../..')
const folder = join(process.env['SALLYPORT_SHARED'] ?? join(root, '../shared'), 'corpus/dadl-registry')

/** Something of every section, and of every type of authentication in turn. */
const OWN = `
spec: https://dadl.ai/spec/dadl-spec-v0.2.md
requires: {toolmesh: ">=0.9.0", features: [returns]}
credits: [me]
source_name: n
source_url: https://example.com
date: "2026-01-02"
_x: 1
includes: [{path: f, merge_into: backend.auth, overrides: {a: 1}}]
backend:
  name: a
  type: rest
  version: "1.2.3"
  base_url: https://example.com
  description: d
  openapi_source: a
  arazzo_source: b
  auth: {type: bearer, credential: c, inject_into: header, header_name: H, prefix: p, query_param: q}
  health: {tool: t, expect_status: 200, expect_path: $.a, auth_expires_path: $.b, timeout: 5s, expose: true}
  types: {T: {type: object}}
  coverage: {endpoints: 1, total_endpoints: 2, percentage: 50, focus: f, missing: m, last_reviewed: l}
  setup: {credential_steps: [a], env_var: E, backends_yaml: b, required_scopes: [r], optional_scopes: [o], docs_url: u, notes: n}
  examples: [{name: n, description: d, code: c}]
  hints: {t: {a: x, b: 1, c: true}}
  defaults:
    headers: {X-A: b}
    content_type: application/json
    nest_body_keys: false
    pagination: &p {strategy: cursor, request: {cursor_param: c, page_param: p, offset_param: o, limit_param: l, limit_default: 5}, response: {next_cursor: $.c, has_more: $.m, total_pages_header: T, total_count_header: C}, behavior: auto, max_pages: 3}
    errors: &e {format: json, message_path: $.m, code_path: $.c, retry_on: [429], terminal: [400], retry_strategy: {max_retries: 3, backoff: exponential, initial_delay: 1s}, rate_limit: {header: h, retry_after_header: r}, map: {"404": gone}}
    response: &r {result_path: $.a, metadata_path: $.b, transform: ., max_items: 4, allow_jq_override: true, redact: [$.x], type: file_url, ttl: 1h, binary: true, content_type: c, streaming: true, stream_handling: collect, max_duration: 1s}
  tools:
    t: {method: GET, path: /x, description: d, access: read, pagination: *p, errors: *e, response: *r, params: {a: {type: string, in: query, required: false, default: x, description: d}}}
    u: {method: POST, path: /x, description: d, content_type: c, nest_body_keys: true, max_body_size: 1MB, depends_on: [t], pagination: none, returns: T, idempotency: {header: h, generate: uuid_v4}, retry_unsafe: true, deprecated: true, replaced_by: t}
    v: {method: HEAD, path: /x, description: d, returns: {type: object}, deprecated: old}
  composites:
    c: {description: d, code: c, access: read, delegates: [t], timeout: 5s, depends_on: [t], params: {a: {type: integer, default: 1, description: d, required: true}}}
`
const AUTHS = `
- {type: apikey, credential: c, username_credential: u, password_credential: p}
- {type: basic, username_credential: u, password_credential: p, credential: c, prefix: p}
- {type: oauth2, token_url: t, client_id_credential: i, client_secret_credential: s, token_auth: post, scopes: [a], token_cache_key: k, refresh_before_expiry: 1s}
- {type: oauth2, flow: client_credentials, token_url: t, client_id_credential: i, client_secret_credential: s}
- {type: oauth2, flow: refresh_token, token_url: t, client_id_credential: i, refresh_token_credential: r, rotates_refresh_token: true}
- {type: oauth2, flow: jwt_bearer, service_account_credential: s, subject: s}
- {type: oauth2, flow: authorization_code, token_url: t, authorize_url: a, client_id_credential: i, refresh_token_credential: r, authorization_params: {a: b}, redirect_uri: r}
- {type: session, login: {method: POST, path: /l, body: {a: {b: c}}, extract: {t: $.t}}, inject: [{header: h, value: v}], refresh: {trigger: t, action: a}}
`

type Node = null | string | number | boolean | readonly Node[] | { readonly [key: string]: Node }
const node: z.ZodType<Node> = z.json()

const own = documentOf(OWN)
/** The same with other choices, and where those are: only there a change can matter that does not matter in `own`. */
const variants = [
  ...z
    .array(node)
    .parse(loadYaml(AUTHS))
    .map(auth => ({ document: put(own, ['backend', 'auth'], auth), below: '/backend/auth' })),
  { document: put(own, ['backend', 'health'], { path: '/x', method: 'GET', expose: false }), below: '/backend/health' },
]

const WORDS = ['x', '_x', 'type', 'credential', 'flow', 'token_url', 'login', 'path', 'tool', '404', '200', '']
const VALUES: readonly Node[] = [
  null,
  'x',
  '',
  0,
  -1,
  1.5,
  7,
  true,
  [],
  ['x'],
  [1],
  {},
  { x: 'y' },
  'oauth2',
  'page',
  'none',
]
const CHANGES: readonly Change[] = [
  { kind: 'drop', word: '', value: null },
  ...WORDS.map(word => ({ kind: 'rename', word, value: null })),
  ...WORDS.map(word => ({ kind: 'add', word, value: 'x' })),
  ...VALUES.map(value => ({ kind: 'replace', word: '', value })),
]

describe('our schema', { skip: existsSync(folder) ? false : `${folder} is not here` }, () => {
  const ajv = new Ajv({ strict: false, allErrors: false })
  const written = existsSync(folder) ? readFileSync(join(folder, 'schema/dadl-v0.2.schema.json'), 'utf8') : '{}'
  const canonical = ajv.compile(z.record(z.string(), z.json()).parse(JSON.parse(written)))
  const generated = ajv.compile(z.record(z.string(), z.json()).parse(generatedSchemas().get('dadl-v0.2.schema.json')))
  const published = globSync('*.dadl', { cwd: folder }).map(file =>
    shortened(documentOf(readFileSync(join(folder, file), 'utf8'))),
  )
  const differences = z
    .array(
      z.strictObject({
        at: z.string(),
        value: node,
        canonical: z.enum(['accepts', 'refuses']),
        reason: z.string().min(1),
      }),
    )
    .parse(loadYaml(readFileSync(join(root, 'test/conformance/dadl/schema-differences.yaml'), 'utf8')))

  test('accepts what the canonical one accepts: all documents, whole', () => {
    assert.equal(published.length, 29)
    for (const document of [...published, own, ...variants.map(variant => variant.document)])
      assert.deepEqual([canonical(document), generated(document), problemsIn(document)], [true, true, []])
  })

  const listed = new Set(differences.map(difference => anyName(difference.at)))
  const assertAgreed = (document: Node, place: readonly string[], change: Change): void => {
    const changed = mutate(document, place, change)
    const problems = problemsIn(changed)
    const verdicts = [canonical(changed), generated(changed), problems.length === 0]
    const differs = new Set(verdicts).size > 1 && !problems.some(path => listed.has(anyName(path)))
    if (differs) assert.fail(JSON.stringify({ place: toPointer(place), ...change, verdicts, problems }))
  }

  test('gives the same verdict on whatever one change makes of a document that says everything', () => {
    for (const place of placesIn(own)) for (const change of CHANGES) assertAgreed(own, place, change)
    for (const { document, below } of variants)
      for (const place of placesIn(document).filter(steps => toPointer(steps).startsWith(below)))
        for (const change of CHANGES) assertAgreed(document, place, change)
  })

  test('gives the same verdict on whatever one change makes of a published document (property)', () => {
    fc.assert(
      fc.property(fc.constantFrom(...published), fc.nat(), fc.constantFrom(...CHANGES), (document, index, change) => {
        const places = placesIn(document)
        assertAgreed(document, places[index % places.length] ?? [], change)
      }),
      { numRuns: 500 },
    )
  })

  for (const { at, value, canonical: verdict, reason } of differences)
    test(`differs from the canonical one at ${at}: ${reason}`, () => {
      const changed = put(own, fromPointer(at), value)
      assert.equal(canonical(changed) ? 'accepts' : 'refuses', verdict)
      assert.equal(
        problemsIn(changed).length === 0 ? 'accepts' : 'refuses',
        verdict === 'accepts' ? 'refuses' : 'accepts',
      )
    })
})

function anyName(pointer: string): string {
  return pointer.replace(/\/(tools|types)\/[^/]*/, '/$1/*')
}

/** Pointers of what the structure of a document is refused for. */
function problemsIn(document: Node): readonly string[] {
  const { problems } = readDocument(document, { profile: 'validate' })
  const spec = isJsonObject(document) ? document['spec'] : undefined
  const unknown = typeof spec === 'string' && !KNOWN_SPEC_URL.test(spec) ? ['/spec'] : []
  return [...problems.map(({ path }) => path), ...unknown]
}

function documentOf(text: string): Node {
  return node.parse(JSON.parse(JSON.stringify(loadYaml(text))))
}

/** The first tools say as much as all. */
function shortened(document: Node): Node {
  const backend = isJsonObject(document) ? document['backend'] : undefined
  const tools = isJsonObject(backend) ? backend['tools'] : undefined
  const first = Object.fromEntries(Object.entries(isJsonObject(tools) ? tools : {}).slice(0, 4))
  return put(document, ['backend', 'tools'], first)
}

/** Every node but the root, as steps. */
function placesIn(value: Node, above: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...above, key]
    return [at, ...placesIn(inner, at)]
  })
}

interface Change {
  readonly kind: string
  readonly word: string
  readonly value: Node
}

function mutate(document: Node, place: readonly string[], { kind, word, value }: Change): Node {
  const above = place.slice(0, -1)
  if (kind === 'drop') return put(document, place, undefined)
  if (kind === 'rename') return put(put(document, place, undefined), [...above, word], valueAt(document, place))
  if (kind === 'add') return put(document, [...above, word], value)
  return put(document, place, value)
}

function valueAt(value: Node, place: readonly string[]): Node {
  return place.reduce<Node>((inner, step) => {
    const members: Readonly<Record<string, Node>> = membersOf(inner)
    return members[step] ?? null
  }, value)
}

function membersOf(value: Node): Readonly<Record<string, Node>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** A copy with something else in one place; undefined takes it away. */
function put(value: Node, place: readonly string[], by: Node | undefined): Node {
  const [step, ...rest] = place
  if (step === undefined) return by ?? null
  if (typeof value !== 'object' || value === null) return value
  const members: Readonly<Record<string, Node>> = membersOf(value)
  const inner = rest.length === 0 ? by : put(members[step] ?? null, rest, by)
  if (Array.isArray(value)) {
    const others = Object.entries(members).flatMap(([key, item]) =>
      key === step ? (inner === undefined ? [] : [inner]) : [item],
    )
    return Object.hasOwn(members, step) || inner === undefined ? others : [...others, inner]
  }
  const kept = Object.entries(members).filter(([key]) => key !== step)
  return Object.fromEntries(inner === undefined ? kept : [...kept, [step, inner]])
}
