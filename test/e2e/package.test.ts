// What users install: the packed tarball in an empty prefix, serving a tool.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { npm } from '../helpers/install.ts'
import { NODE, ROOT, run } from '../helpers/processes.ts'
import { makeWorkspace, TOOLS } from '../helpers/workspace.ts'

describe('the packed tarball', () => {
  const prefix = mkdtempSync(join(tmpdir(), 'sallyport-prefix-'))
  const workspace = makeWorkspace(TOOLS)
  const bin = join(prefix, 'node_modules', '.bin', 'sallyport')
  after(() => {
    rmSync(prefix, { recursive: true, force: true })
    workspace.dispose()
  })
  before(async () => {
    const built = await run(NODE, [join(ROOT, 'scripts', 'build.ts')], { cwd: ROOT })
    assert.equal(built.code, 0, built.stdout + built.stderr)
    const packed = await npm(['pack', join(ROOT, 'dist'), '--pack-destination', prefix], prefix)
    assert.equal(packed.code, 0, packed.stderr)
    const tarball = readdirSync(prefix).find(name => name.endsWith('.tgz'))
    assert.ok(tarball)
    writeFileSync(join(prefix, 'package.json'), '{"private":true}')
    const { code, stderr } = await npm(['install', join(prefix, tarball)], prefix)
    assert.equal(code, 0, stderr)
  })

  test('brings no development file and no TypeScript source', async () => {
    const files = readdirSync(join(prefix, 'node_modules', 'sallyport'), { recursive: true, encoding: 'utf8' })
    const stray = files.filter(file => /\.test\.|\.tsbuildinfo$|(?<!\.d)\.ts$/.test(file))
    assert.deepEqual(stray, [])
    for (const wanted of ['package.json', 'README.md', 'LICENSE', 'cli/main.js', 'schemas/dadl-v0.2.schema.json'])
      assert.ok(files.includes(wanted), wanted)
  })

  test('says its version', async () => {
    const { stdout, code } = await run(NODE, [bin, 'version', '--json'])
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).name, 'sallyport')
  })

  test('is a library: createGateway from the installed package', async () => {
    const script = "import { createGateway } from 'sallyport'; console.log(typeof createGateway)"
    const { stdout } = await run(NODE, ['--input-type=module', '-e', script], { cwd: prefix })
    assert.equal(stdout.trim(), 'function')
  })

  test('is a library: manifests run without the gateway', async () => {
    const script = `
      import { loadManifest, runManifest } from 'sallyport/toolclad'
      const { manifest } = loadManifest(${JSON.stringify(TOOLS['tools/say.clad.toml'])})
      const settings = { evidence_dir: ${JSON.stringify(join(workspace.path, 'evidence'))} }
      const { envelope } = await runManifest(manifest, { text: 'packed' }, { settings })
      console.log(envelope.status, envelope.results.raw_output)`
    const { stdout, stderr } = await run(NODE, ['--input-type=module', '-e', script], { cwd: prefix })
    assert.equal(stdout.trim(), 'success packed', stderr)
  })

  test('passes publint', async () => {
    const { code, stdout, stderr } = await run(NODE, [
      join(ROOT, 'node_modules/publint/src/cli.js'),
      join(ROOT, 'dist'),
    ])
    assert.equal(code, 0, stdout + stderr)
  })

  test('serves a tool to an MCP client', async () => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: NODE,
        args: [bin, 'serve', '--stdio', workspace.path],
        env: { PATH: process.env['PATH'] ?? '', TOOLCLAD_EVIDENCE_DIR: join(workspace.path, 'evidence') },
        stderr: 'ignore',
      }),
    )
    try {
      const result = await client.callTool({ name: 'say', arguments: { text: 'packed' } })
      assert.equal(result.isError, undefined)
      assert.match(JSON.stringify(result.structuredContent), /"raw_output":"packed"/)
    } finally {
      await client.close()
    }
  })
})
