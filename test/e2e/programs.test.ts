// Real programs behind real manifests, through the whole gateway.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isJsonObject } from '../../src/core/json.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import { LOCAL } from '../../src/core/principal.ts'
import { STRICT } from '../../src/formats/format.ts'
import { parseRange } from '../../src/lib/ip.ts'
import { makeGateway } from '../helpers/gateway.ts'
import type { TestGateway } from '../helpers/gateway.ts'
import { processesWith, until } from '../helpers/processes.ts'

const shared = process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../shared')
const nmapFolder = join(shared, 'corpus/xml/real')
const has = (program: string): boolean =>
  ['/usr/local/bin', '/usr/bin', '/bin'].some(folder => existsSync(join(folder, program)))

interface Parts {
  readonly binary: string
  readonly exec: readonly string[]
  readonly args?: string
  readonly tool?: string
  readonly output?: string
}

const manifest = (name: string, { binary, exec, args = '', tool = '', output = 'format = "text"' }: Parts): string =>
  [
    `[tool]\nname = "${name}"\nversion = "1.0.0"\nbinary = "${binary}"\ndescription = "A test"\n${tool}`,
    args,
    `[command]\nexec = ${JSON.stringify(exec)}`,
    `[output]\n${output}`,
  ].join('\n')

const path = (name: string): string => `[args.${name}]\ntype = "path"\nrequired = true\n`
const script = (text: string, more: Partial<Parts> = {}): Parts => ({
  binary: 'sh',
  exec: ['sh', '-c', text.replaceAll('{', '{{').replaceAll('}', '}}')],
  ...more,
  tool: `allow_interpreter = true\n${more.tool ?? ''}`,
})

const TOOLS: Readonly<Record<string, Parts>> = {
  git_log: {
    binary: 'git',
    exec: ['git', '-C', '{repo}', 'log', '--format=%s', '-n', '{count}'],
    args: `${path('repo')}[args.count]\ntype = "integer"\nmin = 1\nmax = 5\nclamp = true\ndefault = 5`,
  },
  df: { binary: 'df', exec: ['df', '-P', '{path}'], args: path('path') },
  grep: {
    binary: 'grep',
    exec: ['grep', '-n', '-F', '-e', '{pattern}', '--', '{file}'],
    args: `[args.pattern]\nrequired = true\nallow_leading_dash = true\nallow_whitespace = true\n${path('file')}`,
  },
  find: {
    binary: 'find',
    exec: ['find', '{folder}', '-type', 'f', '-name', '{name}'],
    args: `${path('folder')}[args.name]\nrequired = true`,
  },
  openssl: {
    binary: 'openssl',
    exec: ['openssl', 'dgst', '{hash}', '-r', '{file}'],
    args: `[args.hash]\ntype = "enum"\nallowed = ["-sha256", "-sha512"]\nrequired = true\n${path('file')}`,
  },
  curl: {
    binary: 'curl',
    exec: ['curl', '-sS', '--max-time', '10', '-w', '\\n%{{http_code}}', '--', '{url}'],
    args: '[args.url]\ntype = "url"\nblock_internal = true\nrequired = true',
  },
  nmap: {
    binary: 'cat',
    exec: ['cat', '{file}'],
    args: path('file'),
    output: 'format = "xml"\n[output.schema]\ntype = "object"\nrequired = ["nmaprun"]',
  },
  floods: script('head -c 500000000 /dev/zero | tr "\\\\0" x; head -c 500000000 /dev/zero >&2', {
    output: 'format = "text"\nmax_bytes = 1000',
  }),
  binary_text: script(String.raw`printf 'a\377b'`),
  binary_json: script(String.raw`printf '"\377"'`, { output: 'format = "json"' }),
  forks: script('sleep 31.5 & sleep 31.5 & echo parent'),
  many: script('(sleep 31.25 &) ; touch left behind; echo done'),
}

describe('real programs', () => {
  let fixture: TestGateway
  before(async () => {
    const range = parseRange('127.0.0.0/8')
    assert.ok(range)
    const files = Object.entries(TOOLS).map(
      ([name, parts]) => [`tools/${name}.clad.toml`, manifest(name, parts)] as const,
    )
    fixture = await makeGateway(
      { ...Object.fromEntries(files), 'notes.txt': 'one\n--two words\nthree\n', 'sallyport.yaml': '' },
      {},
      { deployment: { ...STRICT, allowInternal: [range] } },
    )
    assert.deepEqual(fixture.gateway.problems(), [])
  })
  after(() => fixture.dispose())

  async function envelope(tool: string, args: JsonObject = {}): Promise<JsonObject> {
    const outcome = await fixture.gateway.call({ tool, args }, { principal: LOCAL })
    assert.ok(outcome.status === 'ok' || outcome.status === 'failed', JSON.stringify(outcome))
    const value = outcome.result?.value
    assert.ok(isJsonObject(value), JSON.stringify(outcome))
    return value
  }
  const textOf = (value: JsonValue | undefined): string => {
    assert.ok(typeof value === 'string')
    return value
  }
  const raw = ({ results }: JsonObject): string => textOf(isJsonObject(results) ? results['raw_output'] : undefined)
  const skip = (program: string): string | false => (has(program) ? false : `${program} is not installed`)

  test('git reads a repository', { skip: skip('git') }, async () => {
    const repo = join(fixture.workspace.path, 'repo')
    const git = (...args: readonly string[]): void =>
      void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { stdio: 'ignore' })
    git('init', repo)
    for (const subject of ['first', 'second']) git('-C', repo, 'commit', '--allow-empty', '-m', subject)
    assert.equal(raw(await envelope('git_log', { repo: 'repo', count: 99 })), 'second\nfirst\n')
    const failed = await envelope('git_log', { repo: 'nowhere' })
    assert.deepEqual([failed['status'], failed['exit_code']], ['error', 128])
    assert.match(textOf(failed['stderr']), /nowhere/)
  })

  test('df says where a folder is', async () => {
    assert.match(raw(await envelope('df', { path: '.' })), /Filesystem.*\n.*%/)
  })

  test('grep gets a pattern that looks like an option', async () => {
    assert.equal(raw(await envelope('grep', { pattern: '--two words', file: 'notes.txt' })), '2:--two words\n')
    const nothing = await envelope('grep', { pattern: 'absent', file: 'notes.txt' })
    assert.deepEqual([nothing['status'], nothing['exit_code']], ['error', 1])
  })

  test('find gets a wildcard that no shell expands', async () => {
    assert.equal(
      raw(await envelope('find', { folder: '.', name: 'no*s.txt' })),
      `${join(fixture.workspace.path, 'notes.txt')}\n`,
    )
  })

  test('openssl', { skip: skip('openssl') }, async () => {
    const digest = raw(await envelope('openssl', { hash: '-sha256', file: 'notes.txt' }))
    assert.match(digest, /^[0-9a-f]{64} \*/)
  })

  test('curl talks to a server of this machine where the deployment allows it', { skip: skip('curl') }, async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      response.end('hello')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const ok = await envelope('curl', { url: `http://127.0.0.1:${port}/a?b=c%20d` })
    assert.deepEqual([raw(ok), seen], ['hello\n200', ['GET /a?b=c%20d']])
    server.close()
    await once(server, 'close')
    const refused = await envelope('curl', { url: `http://127.0.0.1:${port}/` })
    assert.deepEqual([refused['status'], refused['exit_code']], ['error', 7])
  })

  test('nmap XML', { skip: existsSync(nmapFolder) ? false : `there is no ${nmapFolder}` }, async () => {
    const file = 'nmap-6.40-no-open-ports.xml'
    writeFileSync(join(fixture.workspace.path, 'scan.xml'), readFileSync(join(nmapFolder, file)))
    const { status, results, output_file: kept } = await envelope('nmap', { file: 'scan.xml' })
    assert.deepEqual([status, isJsonObject(results) && Object.keys(results)], ['success', ['nmaprun']])
    assert.ok(typeof kept === 'string' && kept.endsWith('.xml'))
    assert.deepEqual(readFileSync(kept), readFileSync(join(nmapFolder, file)))
  })

  test('a program that prints 500 MB costs little, and is told truthfully', async () => {
    let peak = 0
    const atFirst = process.memoryUsage().rss
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5)
    const told = await envelope('floods')
    clearInterval(watch)
    assert.deepEqual([told['status'], told['output_truncated'], raw(told)], ['success', true, 'x'.repeat(1000)])
    assert.equal(textOf(told['stderr']).length, 1000)
    assert.equal(statSync(textOf(told['output_file'])).size, 1000)
    assert.ok(peak - atFirst < 150_000_000, `grew by ${peak - atFirst}`)
  })

  test('bytes that are no UTF-8 are told truthfully', async () => {
    const shown = await envelope('binary_text')
    assert.deepEqual([shown['status'], raw(shown)], ['success', 'a\ufffdb'])
    assert.deepEqual([...readFileSync(textOf(shown['output_file']))], [97, 255, 98])
    const parsed = await envelope('binary_json')
    assert.equal(parsed['status'], 'error')
    assert.match(JSON.stringify(parsed['results']), /"code":"parse"/)
  })

  test('a program that forks leaves nothing', async () => {
    assert.equal(raw(await envelope('forks')), 'parent\n')
    await until('the children are gone', () => processesWith('sleep 31.5').length === 0)
  })

  test('a gateway removes the evidence it is told to keep no longer', async () => {
    const keeping = await makeGateway(
      { 'tools/df.clad.toml': manifest('df', TOOLS['df'] ?? script('')), 'sallyport.yaml': '' },
      {},
      { evidenceRetention: 1, evidenceDir: fixture.settings.evidenceDir },
    )
    try {
      await until('all is gone', () => readdirSync(fixture.settings.evidenceDir).length === 0)
    } finally {
      await keeping.dispose()
    }
  })

  test('hundreds of calls at once leave no process, no descriptor and, besides evidence, no file', async () => {
    const count = 300
    const scratch = (): number => readdirSync(tmpdir()).filter(name => /^sallyport-[0-9a-f]{16}$/.test(name)).length
    const evidence = (): number => readdirSync(fixture.settings.evidenceDir).length
    await envelope('many')
    const atFirst = { descriptors: readdirSync('/proc/self/fd').length, scratch: scratch(), evidence: evidence() }
    const all = await Promise.all(Array.from({ length: count }, () => envelope('many')))
    assert.ok(all.every(one => raw(one) === 'done\n'))
    assert.equal(evidence(), atFirst.evidence + count)
    await until(
      'all is gone',
      () =>
        processesWith('sleep 31.25').length === 0 &&
        readdirSync('/proc/self/fd').length <= atFirst.descriptors &&
        scratch() <= atFirst.scratch,
    )
  })
})
