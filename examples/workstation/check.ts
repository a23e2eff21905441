// Calls every tool of this example through a real MCP client and asserts what comes back: `node examples/workstation/check.ts`.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** Where Sallyport looks for programs. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const CLI = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')

/** Copies the example into a folder of its own, with a Git history, and checks it there. */
export async function check(): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'workstation-')))
  try {
    cpSync(import.meta.dirname, folder, { recursive: true, filter: source => !source.includes('.sallyport') })
    if (isInstalled('git')) commitAll(folder)
    await checkTools(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** With an identity and without a configuration of its own: nothing of this machine's Git is read or changed. */
function commitAll(folder: string): void {
  const env = { PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const identity = ['-c', 'user.name=Check', '-c', 'user.email=check@example.com']
  for (const args of [['init'], ['add', '.'], ['commit', '--message', 'The first commit']])
    execFileSync('git', [...identity, ...args], { cwd: folder, env, stdio: 'ignore' })
}

interface Call {
  readonly program: string
  readonly tool: string
  readonly args?: Record<string, unknown>
  /** In `results`, as JSON. */
  readonly shows: RegExp
}

const CALLS: readonly Call[] = [
  { program: 'git', tool: 'git_log', args: { count: 500 }, shows: /Check: The first commit/ },
  { program: 'git', tool: 'git_grep', args: { text: 'one person at a time' }, shows: /harbour\.md:3:/ },
  { program: 'find', tool: 'find_files', args: { name: '*.md', folder: 'notes' }, shows: /notes\/harbour\.md/ },
  { program: 'df', tool: 'disk_free', shows: /\d+%/ },
  { program: 'wc', tool: 'word_count', args: { file: 'notes/harbour.md', unit: '--lines' }, shows: /" *3 / },
  { program: 'cat', tool: 'read_json', args: { file: 'notes/tides.json' }, shows: /^\{"harbour":"Kinsale",/ },
  { program: 'sha256sum', tool: 'checksum', args: { file: 'notes/tides.json' }, shows: /[0-9a-f]{64}/ },
]

async function checkTools(folder: string): Promise<void> {
  const env = { PATH, TOOLCLAD_EVIDENCE_DIR: join(folder, '.evidence') }
  const client = new Client({ name: 'check', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const args = [CLI, 'serve', '--stdio', folder]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
  try {
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['checksum', 'disk_free', 'find_files', 'git_grep', 'git_log', 'read_json', 'remove_file', 'word_count'],
    )
    for (const { program, tool, args: given, shows } of CALLS) {
      if (!isInstalled(program)) {
        console.error(`examples/workstation: ${tool} is not checked, because ${program} is not installed`)
        continue
      }
      const { structuredContent, isError } = await client.callTool({ name: tool, arguments: given ?? {} })
      assert.equal(isError, undefined, JSON.stringify(structuredContent))
      assert.ok(typeof structuredContent === 'object' && structuredContent !== null && 'results' in structuredContent)
      assert.match(JSON.stringify(structuredContent.results), shows)
    }

    const refused = await client.callTool({ name: 'word_count', arguments: { file: '../../etc/passwd' } })
    assert.match(JSON.stringify(refused.content), /traversal/)
    const denied = await client.callTool({ name: 'remove_file', arguments: { file: 'notes/harbour.md' } })
    assert.match(JSON.stringify(denied.content), /approval_required/)
    assert.ok(existsSync(join(folder, 'notes', 'harbour.md')))
  } finally {
    await client.close()
  }
  writeFileSync(join(folder, 'notes', 'old.md'), '')
  const approved = [CLI, 'run', 'remove_file', '--arg', 'file=notes/old.md', '--approve']
  assert.equal(spawnSync(process.execPath, approved, { cwd: folder, env }).status, 0)
  assert.equal(existsSync(join(folder, 'notes', 'old.md')), false)
}

function isInstalled(program: string): boolean {
  return PATH.split(':').some(folder => existsSync(join(folder, program)))
}

if (import.meta.main) await check()
