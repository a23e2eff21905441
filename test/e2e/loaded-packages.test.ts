// A start costs what is loaded: what a command does not need must not come with it.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { CLI, NODE, run } from '../helpers/processes.ts'
import { makeWorkspace, manifest, TOOLS } from '../helpers/workspace.ts'

/** Says on stderr, at the end, which files were loaded. */
const PROBE = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context) } })
  process.on('exit', () => process._rawDebug('loaded ' + JSON.stringify(urls)))
`)}`

const API = `spec: https://dadl.ai/spec/dadl-spec-v0.2.md
backend:
  name: harbour
  type: rest
  description: d
  base_url: http://127.0.0.1:9
  auth: {type: bearer, credential: none}
  tools:
    get_ship: {method: GET, path: /ships, description: d}
`

describe('packages that are loaded', () => {
  const list = manifest('list', ['printf', 'a,b']).replace('"text"', '"csv"')
  const bare = makeWorkspace({ ...TOOLS, 'tools/list.clad.toml': list })
  const configured = makeWorkspace({ ...TOOLS, 'sallyport.yaml': '' })
  const api = makeWorkspace({ 'apis/harbour.dadl': API })
  after(() => {
    for (const workspace of [bare, configured, api]) workspace.dispose()
  })

  async function packagesOf(args: readonly string[], cwd: string): Promise<readonly string[]> {
    const env = { TOOLCLAD_EVIDENCE_DIR: `${cwd}/evidence` }
    const { stdout, stderr } = await run(NODE, ['--import', PROBE, CLI, ...args], { cwd, env })
    const urls: unknown = JSON.parse(/^loaded (.*)$/m.exec(stderr)?.[1] ?? 'null')
    assert.ok(Array.isArray(urls) && urls.length > 0, stdout + stderr)
    const names = urls.map(url => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(String(url))?.[1])
    return [...new Set(names.filter(name => name !== undefined))].toSorted()
  }

  /** Those that only some commands or tools need. */
  function special(names: readonly string[]): readonly string[] {
    return names.filter(name =>
      /^(@hono\/.*|@modelcontextprotocol\/.*|csv-parse|hono|js-yaml|saxes|undici|zod)$/.test(name),
    )
  }

  test('version needs none', async () => {
    assert.deepEqual(await packagesOf(['version'], bare.path), [])
  })

  test('run of a command that prints text needs no HTTP, no MCP, no YAML, no schemas and no other parser', async () => {
    const names = await packagesOf(['run', 'say', '--arg', 'text=x'], bare.path)
    assert.ok(names.includes('smol-toml'), names.join())
    assert.deepEqual(special(names), [])
  })

  test('output of a format brings its parser', async () => {
    assert.deepEqual(special(await packagesOf(['run', 'list'], bare.path)), ['csv-parse'])
  })

  test('a configuration brings what judges it', async () => {
    assert.deepEqual(special(await packagesOf(['run', 'say', '--arg', 'text=x'], configured.path)), ['js-yaml', 'zod'])
  })

  test('a call of an API brings the HTTP client, and no server', async () => {
    const names = await packagesOf(['call', 'harbour_get_ship'], api.path)
    assert.deepEqual(special(names), ['js-yaml', 'undici', 'zod'])
  })
})
