// What another server would be asked (ToolClad spec, Dispatch Modes; reference/toolclad.md 1.8).
import { Ajv2020 } from 'ajv/dist/2020.js'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../core/json.ts'
import { LOCAL } from '../../core/principal.ts'
import type { Interpretation } from '../../core/tool.ts'
import { load } from '../../formats/toolclad/load.ts'
import { systemClock, systemIds } from '../../io/system.ts'
import { mcp } from './index.ts'

const MANIFEST = `[tool]
name = "find"
version = "1"
description = "d"
[args.query]
[args.constructor]
[args.limit]
type = "integer"
[args.state]
default = "open"
[mcp]
server = "github"
tool = "search_issues"
[mcp.field_map]
query = "__proto__"
limit = "per page"
[output]
format = "json"
schema = { type = "array" }
`

const context = {
  id: 'x',
  principal: LOCAL,
  signal: AbortSignal.timeout(60_000),
  clock: systemClock,
  progress: () => {},
  approved: false,
}

async function ask(
  args: JsonObject,
): Promise<{ readonly preview: JsonObject; readonly seen: Interpretation; readonly fits: boolean }> {
  const [tool] = load(MANIFEST, { root: '/' }).tools
  assert.ok(tool?.outputSchema !== undefined)
  const validation = tool.validate(args)
  assert.ok(validation.ok)
  const { callable, withheld } = await mcp.open({ clock: systemClock, ids: systemIds }).prepare(tool)
  assert.equal(withheld, undefined)
  const resolution = await callable.resolve(validation.values, { lookups: true, signal: context.signal })
  assert.ok(resolution.status === 'ready')
  const seen = await tool.interpret(await resolution.ready.run(context))
  const fits = new Ajv2020({ strict: false }).validate({ ...tool.outputSchema }, seen.result.value)
  return { preview: resolution.ready.preview, seen, fits }
}

describe('an MCP tool', () => {
  test('has its arguments renamed, the others as they are, defaults in, absent ones left out', async () => {
    const { preview, seen, fits } = await ask({ query: 'cats', limit: '007' })
    const wanted = '{"__proto__":"cats","per page":"7","state":"open"}'
    assert.equal(JSON.stringify(preview['arguments']), wanted)
    assert.deepEqual([preview['kind'], preview['server'], preview['tool']], ['mcp', 'github', 'search_issues'])
    assert.ok(seen.ok)
    assert.ok(JSON.stringify(seen.result.value).includes(`"mcp_args":${wanted}`))
    assert.ok(fits, 'the schema clients hold it against')
  })

  test('without arguments asks with its defaults alone', async () => {
    const { preview } = await ask({})
    assert.equal(JSON.stringify(preview['arguments']), '{"state":"open"}')
  })
})
