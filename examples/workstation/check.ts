// Calls every tool of this example through a real MCP client and asserts what comes back: `node examples/workstation/check.ts`.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const CLI = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')

/** Copies the example into a folder of its own, with a Git history, and checks it there. */
export async function check(): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'workstation-')))
  try {
    cpSync(import.meta.dirname, folder, { recursive: true, filter: source => !source.includes('.sallyport') })
    const git = (...args: readonly string[]): void =>
      void execFileSync('git', ['-c', 'user.name=Check', '-c', 'user.email=check@example.com', ...args], {
        cwd: folder,
      })
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '--message', 'The first commit')
    await checkTools(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function checkTools(folder: string): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', TOOLCLAD_EVIDENCE_DIR: join(folder, '.evidence') }
  const client = new Client({ name: 'check', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const args = [CLI, 'serve', '--stdio', folder]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
  try {
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['checksum', 'disk_free', 'find_files', 'git_grep', 'git_log', 'read_json', 'remove_file', 'word_count'],
    )
    const results = async (name: string, given: Record<string, unknown> = {}): Promise<unknown> => {
      const { structuredContent, isError } = await client.callTool({ name, arguments: given })
      assert.equal(isError, undefined, JSON.stringify(structuredContent))
      assert.ok(typeof structuredContent === 'object' && structuredContent !== null && 'results' in structuredContent)
      return structuredContent.results
    }
    const text = async (name: string, given?: Record<string, unknown>): Promise<string> =>
      JSON.stringify(await results(name, given))

    assert.match(await text('git_log', { count: 500 }), /Check: The first commit/)
    assert.match(await text('git_grep', { text: 'one person at a time' }), /harbour\.md:3:/)
    assert.match(await text('find_files', { name: '*.md', folder: 'notes' }), /harbour\.md/)
    assert.match(await text('disk_free'), /\d+%/)
    assert.match(await text('word_count', { file: 'notes/harbour.md', unit: '--lines' }), /"3 /)
    assert.deepEqual(await results('read_json', { file: 'notes/tides.json' }), {
      harbour: 'Kinsale',
      high_water: ['04:12', '16:38'],
      springs: true,
    })
    if (existsSync('/usr/bin/sha256sum'))
      assert.match(await text('checksum', { file: 'notes/tides.json' }), /[0-9a-f]{64}/)

    const refused = await client.callTool({ name: 'word_count', arguments: { file: '../../etc/passwd' } })
    assert.match(JSON.stringify(refused.content), /traversal/)
    const denied = await client.callTool({ name: 'remove_file', arguments: { file: 'notes/harbour.md' } })
    assert.match(JSON.stringify(denied.content), /approval_required/)
  } finally {
    await client.close()
  }
  writeFileSync(join(folder, 'notes', 'old.md'), '')
  const approved = [CLI, 'run', 'remove_file', '--arg', 'file=notes/old.md', '--approve']
  assert.equal(spawnSync(process.execPath, approved, { cwd: folder, env }).status, 0)
  assert.equal(existsSync(join(folder, 'notes', 'old.md')), false)
}

if (import.meta.main) await check()
