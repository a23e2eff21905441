import assert from 'node:assert/strict'
import { stringify } from 'smol-toml'
import * as z from 'zod'
import { isJsonObject } from '../../../src/core/json.ts'
import type { JsonObject, JsonValue } from '../../../src/core/json.ts'
import { FENCES } from '../../../src/core/outcome.ts'
import type { RawResult, Tool } from '../../../src/core/tool.ts'
import { STRICT } from '../../../src/formats/format.ts'
import type { Loaded } from '../../../src/formats/format.ts'
import { toolclad } from '../../../src/formats/toolclad/index.ts'
import { PARSERS } from '../../../src/formats/toolclad/parsers/index.ts'
import { xmlWithBareDoctype } from '../../../src/formats/toolclad/parsers/xml.ts'
import { parseRange } from '../../../src/lib/ip.ts'

/** What every manifest of a case has unless it says otherwise; added below it, so that its own lines keep their numbers. */
const BASE = {
  tool: '[tool]\nname = "sample"\nversion = "1.0.0"\nbinary = "sample"\ndescription = "A sample"',
  command: '[command]\nexec = ["sample"]',
  output: '[output]\nformat = "text"',
}

/** What lies around the manifest: `toolclad.toml` and the scope file. */
const project = { custom_types: z.string().optional(), scope: z.string().optional() }
const fragment = { manifest: z.string(), bare: z.boolean().default(false), ...project }
const json: z.ZodType<JsonValue> = z.json()

const loadCase = z.strictObject({
  ...fragment,
  allow_unknown_keys: z.boolean().default(false),
  /** The codes of all warnings of a manifest that loads, in order of place. */
  want: z.array(z.string()).optional(),
  /** The tools of such a manifest, where there are more to say of than that there is one. */
  want_tools: z
    .array(
      z.strictObject({
        name: z.string(),
        kind: z.string().optional(),
        description: z.string().optional(),
        risk_tier: z.string().optional(),
        approval: z.boolean().optional(),
        parameters: z.array(z.string()).optional(),
        annotations: json.optional(),
      }),
    )
    .optional(),
  /** All errors, in order of place. */
  want_error: z
    .array(
      z.strictObject({
        code: z.string(),
        path: z.string(),
        line: z.number().optional(),
        column: z.number().optional(),
        hint: z.string().optional(),
        message: z.string().optional(),
      }),
    )
    .optional(),
})

function checkLoad(input: unknown): void {
  const { want, want_tools: described, want_error: errors, ...given } = loadCase.parse(input)
  const { tools, diagnostics } = loadFragment(given)
  if (want !== undefined) {
    assert.deepEqual(
      diagnostics.map(problem => problem.code),
      want,
    )
    if (described === undefined) assert.equal(tools.length, 1)
    else checkDescribed(tools, described)
  }
  if (errors === undefined) return
  const found = diagnostics.filter(problem => problem.severity === 'error')
  assert.deepEqual(
    found.map(({ code, path }) => ({ code, path })),
    errors.map(({ code, path }) => ({ code, path })),
  )
  assert.equal(tools.length, 0)
  for (const [index, error] of errors.entries()) {
    const problem = found[index]
    if (error.line !== undefined) assert.equal(problem?.line, error.line)
    if (error.column !== undefined) assert.equal(problem?.column, error.column)
    if (error.hint !== undefined) assert.equal(problem?.hint, error.hint)
    if (error.message !== undefined) assert.ok(problem?.message.includes(error.message), problem?.message)
  }
}

function checkDescribed(tools: readonly Tool[], described: readonly { readonly name: string }[]): void {
  const found = tools.map(({ name, binding, description, riskTier, needsApproval, parameters, annotations }) => ({
    name,
    kind: binding.kind,
    description,
    risk_tier: riskTier ?? '',
    approval: needsApproval,
    parameters: parameters.map(parameter => parameter.name),
    annotations: annotations ?? {},
  }))
  const shown = found.map((tool, index) => pick(tool, Object.keys(described[index] ?? tool)))
  assert.deepEqual(shown, described)
}

const valuesCase = z.strictObject({
  ...fragment,
  /** Which of the manifest's tools; absent: its only one. */
  tool: z.string().optional(),
  args: z.record(z.string(), json),
  want: z.record(z.string(), z.string()).optional(),
  want_error: z.record(z.string(), z.enum(FENCES)).optional(),
})

function checkValues(input: unknown): void {
  const { tool: name, args, want, want_error: fences, ...given } = valuesCase.parse(input)
  const loaded = loadFragment(given)
  const tools = name === undefined ? loaded.tools : loaded.tools.filter(tool => tool.name === name)
  const validation = onlyTool({ ...loaded, tools }).validate(args)
  const found = validation.ok
    ? validation.values
    : Object.fromEntries(validation.refusals.map(({ argument, fence }) => [argument, fence]))
  assert.deepEqual({ ok: validation.ok, found }, { ok: fences === undefined, found: want ?? fences })
}

const typeCase = z.strictObject({
  ...project,
  /** Ranges of `network.allow_internal`. */
  allow_internal: z.array(z.string()).default([]),
  arg: z.record(z.string(), z.json()),
  /** Absent: the argument is not given. */
  value: json.optional(),
  /** The canonical value, null where the argument stays absent. */
  want: z.string().nullable().optional(),
  want_error: z.enum(FENCES).optional(),
  message: z.string().default(''),
})

function checkType(input: unknown): void {
  const { arg, value, want, want_error: fence, message, ...around } = typeCase.parse(input)
  const tool = onlyTool(loadFragment({ manifest: stringify({ args: { x: arg } }), ...around }))
  const validation = tool.validate(value === undefined ? {} : { x: value })
  const refusals = validation.ok ? (tool.scope?.(validation.values) ?? []) : validation.refusals
  if (validation.ok && refusals.length === 0) {
    assert.deepEqual({ value: validation.values['x'] ?? null }, { value: want })
    return
  }
  assert.deepEqual(
    refusals.map(refusal => refusal.fence),
    [fence],
  )
  assert.ok(refusals[0]?.message.includes(message), refusals[0]?.message)
}

const argvCase = z.strictObject({ ...fragment, want: z.array(z.record(z.string(), z.json())) })

function checkArgv(input: unknown): void {
  const { want, ...given } = argvCase.parse(input)
  assert.deepEqual(onlyTool(loadFragment(given)).binding.data['argv'], want)
}

const output = { stdout: z.string().default(''), stdout_base64: z.base64().optional() }

const parserCase = z.strictObject({
  ...output,
  parser: z.string(),
  schema: json.optional(),
  allow_bare_doctype: z.boolean().default(false),
  want: json.optional(),
  want_error: z.literal('parse').optional(),
  message: z.string().optional(),
})

async function checkParser(input: unknown): Promise<void> {
  const { parser, schema, want, want_error: code, message = '', ...given } = parserCase.parse(input)
  const chosen = given.allow_bare_doctype ? xmlWithBareDoctype : PARSERS.get(parser)
  const parsed = await chosen?.parse(bytesOf(given), schema)
  assert.ok(parsed !== undefined)
  if (!parsed.ok) assert.ok(parsed.message.includes(message), parsed.message)
  assert.deepEqual(parsed.ok ? { want: parsed.value } : { code: 'parse' }, code === undefined ? { want } : { code })
}

const envelopeCase = z.strictObject({
  ...output,
  ...fragment,
  stderr: z.string().default(''),
  exit_code: z.number().default(0),
  ended: z.enum(['exited', 'timeout', 'cancelled', 'failed']).default('exited'),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  truncated: z.boolean().default(false),
  /** What another server would be asked, instead of a program's output. */
  delegation: z
    .strictObject({ server: z.string(), tool: z.string(), arguments: z.record(z.string(), json) })
    .optional(),
  /** Members the envelope has, each compared as a whole. */
  want: z.record(z.string(), z.json()),
  /** MCP `structuredContent` where it is not the envelope. */
  want_structured: json.optional(),
  want_error: z.strictObject({ code: z.string(), exit: z.number() }).optional(),
})

async function checkEnvelope(input: unknown): Promise<void> {
  const given = envelopeCase.parse(input)
  const { want, want_structured: structured, want_error: error } = given
  const found = await onlyTool(loadFragment(given)).interpret(toRaw(given))
  const { value } = found.result
  assert.ok(isJsonObject(value))
  assert.deepEqual(pick(value, Object.keys(want)), want)
  assert.deepEqual(found.result.mcp?.structured, structured)
  assert.deepEqual(found.ok ? undefined : { code: found.code, exit: found.exit }, error)
}

function toRaw(given: z.infer<typeof envelopeCase>): RawResult {
  const run = {
    scanId: '1711929600-0123abcd',
    startedAt: Date.parse('2026-03-20T12:00:00.789Z'),
    durationMs: 4523,
  }
  if (given.delegation !== undefined) return { kind: 'delegation', ...run, ...given.delegation }
  return {
    kind: 'process',
    ...run,
    command: 'sample --all',
    ended: given.ended,
    exitCode: given.exit_code,
    ...(given.error === undefined ? {} : { error: given.error }),
    stdout: bytesOf(given),
    stderr: Buffer.from(given.stderr),
    truncated: given.truncated,
  }
}

function pick(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}

function bytesOf(given: { readonly stdout: string; readonly stdout_base64?: string | undefined }): Uint8Array {
  return given.stdout_base64 === undefined ? Buffer.from(given.stdout) : Buffer.from(given.stdout_base64, 'base64')
}

interface Fragment {
  readonly manifest: string
  readonly bare?: boolean
  readonly allow_unknown_keys?: boolean
  readonly custom_types?: string | undefined
  readonly scope?: string | undefined
  readonly allow_internal?: readonly string[]
}

export function loadFragment({ manifest, bare = false, ...around }: Fragment): Loaded {
  const missing = Object.entries(BASE).filter(([section]) => !bare && !manifest.includes(`[${section}]`))
  const text = [manifest, ...missing.map(([, lines]) => lines)].join('\n')
  const {
    allow_unknown_keys: allowUnknownKeys = false,
    custom_types: customTypes,
    scope,
    allow_internal: allow,
  } = around
  return toolclad.load(text, {
    root: '/srv/work',
    allowUnknownKeys,
    deployment: { ...STRICT, allowInternal: (allow ?? []).flatMap(range => parseRange(range) ?? []) },
    ...(customTypes === undefined ? {} : { customTypes: { text: customTypes, file: 'toolclad.toml' } }),
    ...(scope === undefined ? {} : { scope: { text: scope, file: 'scope.toml' } }),
  })
}

export function onlyTool({ tools, diagnostics }: Loaded): Tool {
  const [tool] = tools
  assert.ok(tool !== undefined, JSON.stringify(diagnostics))
  return tool
}

/** One function per kind; it throws or rejects where the case does not hold. */
export const TOOLCLAD_KINDS: Readonly<Record<string, (input: unknown) => void | Promise<void>>> = {
  load: checkLoad,
  types: checkType,
  values: checkValues,
  argv: checkArgv,
  parsers: checkParser,
  envelope: checkEnvelope,
}
