// What is looked up before a call runs: addresses of names and the existence of files (rulings ToolClad 11 and 16 to 19).
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { LookupRule, Tool } from '../core/tool.ts'
import { systemClock } from '../io/system.ts'
import { parseRange } from '../lib/ip.ts'
import type { Backend, Resolution } from './backend.ts'
import { withLookups } from './lookups.ts'
import type { LookupDeps } from './lookups.ts'

const ready: Resolution = {
  status: 'ready',
  ready: { preview: {}, run: () => Promise.reject(new Error('nothing runs here')) },
}

/** Answers as it is told; what it looked at is the decorator's alone. */
function backendOf(resolution: Resolution): Backend {
  return {
    kind: 'test',
    prepare: async () => ({ callable: { resolve: async () => resolution }, diagnostics: [] }),
    close: () => Promise.resolve(),
  }
}

function toolWith(lookups: readonly LookupRule[], parameters: readonly string[] = ['target']): Tool {
  return {
    name: 'sample',
    format: 'test',
    description: '',
    needsApproval: false,
    timeoutMs: 1000,
    parameters: parameters.map(name => ({ name, type: 'string', required: true, description: '' })),
    inputSchema: {},
    binding: { kind: 'test', data: {} },
    definition: {},
    validate: () => ({ ok: true, values: {} }),
    lookups,
    interpret: () => ({ ok: true, result: { value: null } }),
    locate: () => ({ line: 1, column: 1 }),
  }
}

const deps: LookupDeps = {
  clock: systemClock,
  reserved: [],
  allowHidden: false,
  allowInternal: [],
  lookup: async host => {
    const answers: Readonly<Record<string, readonly string[]>> = {
      'public.example.com': ['93.184.216.34'],
      'mixed.example.com': ['93.184.216.34', '10.0.0.5'],
      'inside.example.com': ['10.0.1.5'],
      'mapped.example.com': ['::ffff:10.0.1.5'],
      'metadata.example.com': ['169.254.169.254'],
      'self.example.com': ['127.0.0.1'],
      'nowhere.example.com': [],
      'odd.example.com': ['not an address'],
    }
    const found = answers[host]
    if (found === undefined) throw new Error('ENOTFOUND')
    return found
  },
}

async function resolve(
  tool: Tool,
  values: Readonly<Record<string, string>>,
  more: { readonly deps?: Partial<LookupDeps>; readonly lookups?: boolean; readonly inner?: Resolution } = {},
): Promise<Resolution> {
  const { lookups = true, inner = ready } = more
  const { callable } = await withLookups(backendOf(inner), { ...deps, ...more.deps }).prepare(tool)
  return callable.resolve(values, { lookups, signal: new AbortController().signal })
}

function summary(resolution: Resolution): string {
  if (resolution.status === 'refused') return resolution.refusals.map(r => `${r.argument}: ${r.fence}`).join(', ')
  if (resolution.status === 'denied') return resolution.code
  return ['ready', ...(resolution.exempt ?? [])].join(' ')
}

const internal: LookupRule = {
  kind: 'target',
  argument: 'target',
  type: 'scope_target',
  blockInternal: true,
  blocked: [],
}

describe('targets', () => {
  const allow = ['10.0.1.0/24', '127.0.0.0/8'].flatMap(range => parseRange(range) ?? [])
  const cases = [
    { value: 'public.example.com', want: 'ready' },
    { value: 'PUBLIC.example.com.', want: 'ready' },
    { value: 'mixed.example.com', want: 'target: internal' },
    { value: 'inside.example.com', want: 'target: internal' },
    { value: 'mapped.example.com', want: 'target: internal' },
    { value: 'metadata.example.com', want: 'target: always_blocked' },
    { value: 'nowhere.example.com', want: 'target: dns' },
    { value: 'odd.example.com', want: 'target: dns' },
    { value: 'unknown.example.com', want: 'target: dns' },
    { value: '8.8.8.8', want: 'ready' },
    { value: '10.0.1.0/25', want: 'target: internal' },
    { value: 'inside.example.com', exempt: true, want: 'ready target' },
    { value: 'mapped.example.com', exempt: true, want: 'ready target' },
    { value: '10.0.1.0/25', exempt: true, want: 'ready target' },
    { value: '10.0.0.0/23', exempt: true, want: 'target: internal' },
    { value: 'mixed.example.com', exempt: true, want: 'target: internal' },
    { value: 'metadata.example.com', exempt: true, want: 'target: always_blocked' },
    { value: 'public.example.com', exempt: true, want: 'ready' },
  ]
  for (const { value, exempt = false, want } of cases)
    test(`${value}${exempt ? ' with an exemption' : ''}: ${want}`, async () => {
      const found = await resolve(
        toolWith([internal]),
        { target: value },
        { deps: exempt ? { allowInternal: allow } : {} },
      )
      assert.equal(summary(found), want)
    })

  test('an answer inside a blocked range of the scope refuses, whatever else is allowed', async () => {
    const rule = { ...internal, blockInternal: false, blocked: ['10.0.1.0/24'] }
    assert.equal(summary(await resolve(toolWith([rule]), { target: 'inside.example.com' })), 'target: scope')
    assert.equal(summary(await resolve(toolWith([rule]), { target: 'mapped.example.com' })), 'target: scope')
    assert.equal(summary(await resolve(toolWith([rule]), { target: 'self.example.com' })), 'ready')
    const mapped = { ...rule, blocked: ['::ffff:10.0.1.0/120'] }
    assert.equal(summary(await resolve(toolWith([mapped]), { target: 'inside.example.com' })), 'target: scope')
  })

  test('this gateway itself is never exempt', async () => {
    const rule = { ...internal, type: 'url' }
    const own = { allowInternal: allow, listeners: () => [{ address: '127.0.0.1', port: 7411 }] }
    const at = async (url: string) => summary(await resolve(toolWith([rule]), { target: url }, { deps: own }))
    assert.equal(await at('http://self.example.com:7411/mcp'), 'target: internal')
    assert.equal(await at('http://127.0.0.1:7411/mcp'), 'target: internal')
    assert.equal(await at('http://127.0.0.1:7412/'), 'ready target')
    own.listeners = () => [{ address: '127.0.0.1', port: 80 }]
    for (const scheme of ['http', 'ws', 'WS']) assert.equal(await at(`${scheme}://127.0.0.1/`), 'target: internal')
  })

  test('a name that is never answered is refused after five seconds of the clock', async () => {
    const clock = { ...systemClock, sleep: async () => {} }
    const lookup = () => new Promise<readonly string[]>(() => {})
    const found = await resolve(toolWith([internal]), { target: 'slow.example.com' }, { deps: { clock, lookup } })
    assert.equal(summary(found), 'target: dns')
  })

  test('a dry run asks nobody', async () => {
    const lookup = () => Promise.reject(new Error('asked'))
    const found = await resolve(
      toolWith([internal]),
      { target: 'inside.example.com' },
      { lookups: false, deps: { lookup } },
    )
    assert.equal(summary(found), 'ready')
  })

  test('an absent argument has no target', async () => {
    assert.equal(summary(await resolve(toolWith([internal]), {})), 'ready')
  })

  test('refusals come in the order of the arguments, one for each', async () => {
    const inner: Resolution = {
      status: 'refused',
      refusals: [
        { argument: 'target', fence: 'outside_root', message: 'second' },
        { argument: 'first', fence: 'hidden', message: 'first' },
      ],
    }
    const found = await resolve(toolWith([internal], ['first', 'target']), { target: '10.0.0.1' }, { inner })
    assert.equal(summary(found), 'first: hidden, target: internal')
  })

  test('a denial of the backend stands where nothing is refused', async () => {
    const inner: Resolution = { status: 'denied', code: 'interpreter', reason: 'a shell' }
    assert.equal(summary(await resolve(toolWith([internal]), { target: '8.8.8.8' }, { inner })), 'interpreter')
  })
})

describe('credential files', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'lookups-test-')))
  const tool = toolWith([{ kind: 'file', argument: 'target', root }])
  before(() => {
    mkdirSync(join(root, 'data'))
    mkdirSync(join(root, '.sallyport'))
    writeFileSync(join(root, 'data/users.txt'), 'someone')
    writeFileSync(join(root, '.sallyport/token'), 'secret')
    symlinkSync('/etc/passwd', join(root, 'outside'))
    symlinkSync('data/users.txt', join(root, 'inside'))
  })
  after(() => rmSync(root, { recursive: true }))

  const cases = [
    ['data/users.txt', 'ready'],
    ['inside', 'ready'],
    ['data/none.txt', 'target: not_found'],
    ['data', 'target: not_file'],
    ['outside', 'target: outside_root'],
    ['.sallyport/token', 'target: hidden'],
  ] as const
  for (const [value, want] of cases)
    test(`${value}: ${want}`, async () => {
      assert.equal(summary(await resolve(tool, { target: value })), want)
    })

  test('the files of the gateway itself are no credential files', async () => {
    const own = { reserved: [join(root, '.sallyport')], allowHidden: true }
    assert.equal(summary(await resolve(tool, { target: '.sallyport/token' }, { deps: own })), 'target: reserved_file')
  })

  test('a dry run does not look', async () => {
    assert.equal(summary(await resolve(tool, { target: 'data/none.txt' }, { lookups: false })), 'ready')
  })
})
