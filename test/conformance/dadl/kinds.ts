import assert from 'node:assert/strict'
import * as z from 'zod'
import { hasErrors } from '../../../src/core/diagnostic.ts'
import type { Tool } from '../../../src/core/tool.ts'
import { load } from '../../../src/formats/dadl/load.ts'
import { PROFILES } from '../../../src/formats/format.ts'
import type { FoundFile } from '../../../src/formats/format.ts'

/** What every document of a case has unless it says otherwise; below its own lines, so that those keep their numbers. */
const BASE = {
  spec: 'spec: https://dadl.ai/spec/dadl-spec-v0.2.md',
  backend: 'backend:',
  name: '  name: sample',
  type: '  type: rest',
  base_url: '  base_url: https://api.example.com',
  description: '  description: A sample',
  auth: '  auth: {type: bearer, credential: none}',
  tools: '  tools: {get: {method: GET, path: /x, description: Gets}}',
}

const problem = z.strictObject({
  code: z.string(),
  /** `line:column`. */
  at: z.string(),
  path: z.string(),
  severity: z.enum(['error', 'warning']).default('error'),
  file: z.string().optional(),
  hint: z.string().optional(),
  /** Part of the message. */
  message: z.string().default(''),
})

const loadCase = z.strictObject({
  /** YAML, completed by `BASE`; `bare` leaves it as it is. */
  document: z.string(),
  bare: z.boolean().default(false),
  /** Profiles the case is true of. */
  profiles: z.array(z.enum(PROFILES)).default(['runtime', 'validate']),
  /** Files beside the document, by path; `outside` is a link that leads out of its folder. */
  files: z.record(z.string(), z.string()).default({}),
  outside: z.array(z.string()).default([]),
  /** What was published before. */
  against: z.string().optional(),
  /** Whether the case is about what a registry misses, which is much of any sample. */
  missing: z.boolean().default(false),
  /** All problems, in order. */
  want: z.array(problem).default([]),
  /** Tools of a document without errors, where there is more to say than that it has some. */
  want_tools: z.record(z.string(), z.record(z.string(), z.json())).optional(),
  /** Members of `Loaded.api`. */
  want_api: z.record(z.string(), z.json()).optional(),
})

function checkLoad(input: unknown): void {
  const given = loadCase.parse(input)
  const { want, want_tools: described, want_api: api } = given
  const readFile = (path: string): FoundFile => {
    if (given.outside.includes(path)) return { outside: true }
    const text = given.files[path]
    return text === undefined ? { file: path, unreadable: `${path} is not there` } : { file: path, text }
  }
  const older = given.against === undefined ? {} : { against: { text: given.against, file: 'old.dadl' } }
  for (const profile of given.profiles) {
    const loaded = load(complete(given), { root: '/', file: 'x.dadl', profile, readFile, ...older })
    const found = loaded.diagnostics
      // What only running it would need is said to whoever runs it.
      .filter(({ code }) => code !== 'unsupported' && (given.missing || code !== 'publish_missing'))
      .map(({ code, severity, path, line, column, file, hint, message }) => ({
        code,
        severity,
        path,
        at: `${line}:${column}`,
        ...(file === 'x.dadl' ? {} : { file }),
        ...(hint === undefined ? {} : { hint }),
        message,
      }))
    const expected = want.map(({ message, ...rest }, index) => {
      const said = found[index]?.message ?? ''
      return { ...rest, message: said.includes(message) ? said : message }
    })
    assert.deepEqual(found, expected, profile)
    const failed = hasErrors(loaded.diagnostics)
    assert.equal(loaded.tools.length > 0, !failed)
    assert.equal(loaded.api !== undefined, !failed)
    if (described !== undefined)
      for (const [name, members] of Object.entries(described))
        assert.deepEqual(pick(showTool(loaded.tools, name), members), members)
    if (api !== undefined) assert.deepEqual(pick(JSON.parse(JSON.stringify(loaded.api)), api), api)
  }
}

function complete({ document, bare }: z.infer<typeof loadCase>): string {
  if (bare) return document
  const { spec, backend, ...keys } = BASE
  const has = (line: string): boolean => document.split('\n').some(own => own.startsWith(line))
  const opened = has('backend:') ? [] : [backend]
  const missing = Object.entries(keys).flatMap(([key, line]) => (has(`  ${key}:`) ? [] : [line]))
  const own = document.trimEnd()
  return [own, ...opened, ...missing, ...(has('spec:') ? [] : [spec])].join('\n')
}

function showTool(tools: readonly Tool[], name: string): object {
  const tool = tools.find(candidate => candidate.name === name)
  assert.ok(tool !== undefined, `no tool ${name}`)
  const { binding, inputSchema, timeoutMs, locate, ...rest } = tool
  const shown = {
    ...rest,
    kind: binding.kind,
    unsupported: binding.data['unsupported'],
    timeoutMs,
    schema: inputSchema,
  }
  const { line, column } = locate('')
  const json: object = JSON.parse(JSON.stringify({ ...shown, at: `${line}:${column}` }))
  return json
}

function pick(value: object, members: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(members, name)))
}

/** One function per kind; it throws where the case does not hold. */
export const DADL_KINDS: Readonly<Record<string, (input: unknown) => void>> = { load: checkLoad }
