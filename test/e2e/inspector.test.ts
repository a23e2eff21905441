// The Inspector's command-line mode: a client by yet another hand, over both transports.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { installed } from '../helpers/install.ts'
import { CLI, NODE, run, serve } from '../helpers/processes.ts'
import type { Served } from '../helpers/processes.ts'
import { makeWorkspace, TOOLS } from '../helpers/workspace.ts'

describe('the MCP Inspector', () => {
  const workspace = makeWorkspace(TOOLS)
  const env = { SALLYPORT_STATE: `${workspace.path}/state`, TOOLCLAD_EVIDENCE_DIR: `${workspace.path}/evidence` }
  let gateway: Served
  let bin: string
  before(async () => {
    const folder = await installed('@modelcontextprotocol/inspector', '2.12.0')
    bin = join(folder, 'node_modules', '.bin', 'mcp-inspector')
    assert.ok(existsSync(bin))
    gateway = await serve(workspace.path, env)
  })
  after(async () => {
    await gateway.stop()
    workspace.dispose()
  })

  const stdio = (): readonly string[] => [NODE, CLI, 'serve', '--stdio', workspace.path]
  const http = (): readonly string[] => [
    gateway.url,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${gateway.token}`,
  ]

  for (const [name, target] of Object.entries({ stdio, http })) {
    const inspect = async (...args: readonly string[]) => {
      const { stdout, stderr, code } = await run(NODE, [bin, '--cli', ...target(), ...args], {
        env: { ...env, SALLYPORT_STATE: `${env.SALLYPORT_STATE}-${name}` },
      })
      assert.equal(code, 0, stderr)
      return JSON.parse(stdout)
    }

    test(`lists and calls over ${name}`, async () => {
      const { tools } = await inspect('--method', 'tools/list')
      assert.deepEqual(
        tools.map((tool: { name: string }) => tool.name),
        ['fail', 'launch', 'say', 'wait'],
      )
      const result = await inspect('--method', 'tools/call', '--tool-name', 'say', '--tool-arg', 'text=ahoy')
      assert.equal(result.structuredContent.results.raw_output, 'ahoy')
    })
  }
})
