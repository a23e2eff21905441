// From files to what clients see, with the real format and backend.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { makeGateway, settingsOf, SILENT } from '../../test/helpers/gateway.ts'
import type { TestGateway } from '../../test/helpers/gateway.ts'
import { until } from '../../test/helpers/processes.ts'
import { makeWorkspace, manifest } from '../../test/helpers/workspace.ts'
import { LOCAL } from '../core/principal.ts'
import { createGateway } from '../gateway.ts'
import type { GatewayOptions } from '../gateway.ts'
import { exposedNames } from './names.ts'

async function withGateway(
  files: Readonly<Record<string, string>>,
  options: Partial<GatewayOptions>,
  use: (opened: TestGateway) => Promise<void>,
): Promise<void> {
  const opened = await makeGateway(files, options)
  try {
    await use(opened)
  } finally {
    await opened.dispose()
  }
}

const names = ({ gateway }: TestGateway): readonly string[] => gateway.tools(LOCAL).map(({ name }) => name)
const codes = ({ gateway }: TestGateway): readonly string[] => gateway.problems().map(({ code }) => code)
const WATCHED = { watch: true }

describe('names', () => {
  test('are the author’s where MCP allows them', () => {
    assert.deepEqual(
      exposedNames([
        { backend: '', tool: 'git_log' },
        { backend: 'hub', tool: 'list/repos' },
      ]),
      ['git_log', 'hub_list_repos'],
    )
  })

  test('that clash, are reserved or too long get a suffix that depends on themselves alone', () => {
    const clash = [
      { backend: 'a', tool: 'b_c' },
      { backend: 'a_b', tool: 'c' },
    ]
    const [first = '', second = ''] = exposedNames(clash)
    assert.match(first, /^a_b_c_[0-9a-f]{6}$/)
    assert.match(second, /^a_b_c_[0-9a-f]{6}$/)
    assert.notEqual(first, second)
    assert.deepEqual(exposedNames(clash.toReversed()), [second, first])
    assert.match(exposedNames([{ backend: '', tool: 'search' }])[0] ?? '', /^search_[0-9a-f]{6}$/)
    const long = exposedNames([{ backend: 'x'.repeat(40), tool: 'y'.repeat(40) }])[0] ?? ''
    assert.equal(long.length, 64)
    assert.match(long, /^[a-zA-Z0-9_-]{1,64}$/)
  })

  test('are never shared, though somebody chose one to meet another', () => {
    const victim = { backend: 'x'.repeat(40), tool: 'y'.repeat(40) }
    const [known = ''] = exposedNames([victim])
    const [still, other = ''] = exposedNames([victim, { backend: known.slice(0, 40), tool: known.slice(41) }])
    assert.equal(still, known)
    assert.notEqual(other, known)
    assert.match(other, /^[a-zA-Z0-9_-]{1,64}$/)
    // Among so many, six digits meet.
    const many = exposedNames(Array.from({ length: 20_000 }, (_, n) => ({ ...victim, tool: `${victim.tool}${n}` })))
    assert.equal(new Set(many).size, many.length)
  })
})

describe('a file of an API', () => {
  const text =
    'spec: https://dadl.ai/spec/dadl-spec-v0.2.md\nbackend: {name: own, type: rest, description: d, auth: {type: bearer, credential: none}, tools: {get: {method: GET, path: /x, description: d}}}\n'
  const deployed = (workspace: TestGateway['workspace'], ...apis: readonly string[]) =>
    apis.map(name => ({
      name,
      file: join(workspace.path, 'apis/a.dadl'),
      url: `http://127.0.0.1:1/${name}`,
      allowPrivate: false,
      credentials: {},
    }))

  test('is served once for each name the deployment gives it, and never under its own beside', async () => {
    const workspace = makeWorkspace({ 'apis/a.dadl': text })
    const file = join(workspace.path, 'apis/a.dadl')
    for (const found of [{}, { files: [file] }, { tools: ['apis/*.dadl'] }]) {
      const settings = { ...settingsOf(workspace.path), apis: deployed(workspace, 'own', 'two'), ...found }
      const gateway = await createGateway({ settings, logger: SILENT })
      const previews = ['own_get', 'two_get'].map(tool => gateway.test({ tool, args: {} }, { principal: LOCAL }))
      assert.deepEqual(
        gateway.tools(LOCAL).map(({ name }) => name),
        ['own_get', 'two_get'],
      )
      assert.match(JSON.stringify(await Promise.all(previews)), /127\.0\.0\.1:1\/own\/x.*127\.0\.0\.1:1\/two\/x/)
      await gateway.close()
    }
    workspace.dispose()
  })
})

describe('start', () => {
  test('two tools of one name: neither is served, and both files are named', () =>
    withGateway(
      {
        'tools/a.clad.toml': manifest('same', ['true']),
        'tools/b/b.clad.toml': manifest('same', ['true']),
        'tools/c.clad.toml': manifest('other', ['true']),
      },
      {},
      async opened => {
        assert.deepEqual(names(opened), ['other'])
        assert.deepEqual(codes(opened), ['duplicate_name', 'duplicate_name'])
        for (const { message } of opened.gateway.problems()) assert.match(message, /a\.clad\.toml and .*b\.clad\.toml/)
      },
    ))

  test('the hash is of the behaviour: a comment does not change it, a description does', async () => {
    const hashOf = async (text: string): Promise<string> => {
      let hash = ''
      await withGateway({ 'tools/a.clad.toml': text }, {}, async ({ gateway }) => {
        hash = gateway.tools(LOCAL)[0]?.hash ?? ''
      })
      return hash
    }
    const text = manifest('a', ['true'])
    const hash = await hashOf(text)
    assert.match(hash, /^[0-9a-f]{64}$/)
    assert.equal(await hashOf(`# a comment\n${text}`), hash)
    assert.notEqual(await hashOf(text.replace('Test tool', 'Best tool')), hash)
    assert.notEqual(await hashOf(text.replace('"true"]', '"true", "x"]')), hash)
  })
})

describe('reload', () => {
  test('a broken edit keeps the last good version and is reported; mending it clears the report', () =>
    withGateway({ 'tools/a.clad.toml': manifest('a', ['printf', 'one']) }, WATCHED, async opened => {
      const { gateway, workspace } = opened
      const output = async (): Promise<string> => {
        const outcome = await gateway.call({ tool: 'a', args: {} }, { principal: LOCAL })
        return outcome.status === 'ok' ? JSON.stringify(outcome.result.value) : outcome.status
      }
      workspace.write('tools/a.clad.toml', '[tool]\nname = "a"\nbroken')
      await until('the problem is reported', () => codes(opened).includes('syntax'))
      assert.match(await output(), /"raw_output":"one"/)
      workspace.write('tools/a.clad.toml', manifest('a', ['printf', 'two']))
      await until('it is mended', () => codes(opened).length === 0)
      assert.match(await output(), /"raw_output":"two"/)
      workspace.remove('tools/a.clad.toml')
      await until('it is gone', () => names(opened).length === 0)
    }))

  test('the last good version is not served under a scope that has changed', () => {
    const scoped = manifest('a', ['true'], '[args.host]\ntype = "scope_target"\nscope_check = true')
    const files = {
      'tools/a.clad.toml': scoped,
      'tools/b.clad.toml': manifest('b', ['true']),
      'scope/scope.toml': '[scope]\nallowed_domains = ["example.com"]',
    }
    return withGateway(files, WATCHED, async opened => {
      const { workspace } = opened
      for (const file of ['a', 'b']) workspace.write(`tools/${file}.clad.toml`, 'broken')
      await until('the problems are reported', () => codes(opened).length === 2)
      assert.deepEqual(names(opened), ['a', 'b'])
      workspace.write('scope/scope.toml', '[scope]')
      await until('only what has no scope is left', () => !names(opened).includes('a'))
      assert.deepEqual(names(opened), ['b'])
      workspace.write('tools/a.clad.toml', scoped)
      await until('it is mended', () => names(opened).includes('a'))
    })
  })

  test('a fragment belongs to the document that includes it', () => {
    const document = `spec: https://dadl.ai/spec/dadl-spec-v0.2.md
includes: [{path: common/tools.dadl.yaml, merge_into: backend.tools}]
backend: {name: a, type: rest, base_url: "https://api.example.com", description: d, auth: {type: bearer, credential: none}}
`
    const fragment = (name: string): string => `_fragment: true\n${name}: {method: GET, path: /x, description: d}\n`
    const files = { 'apis/a.dadl': document, 'apis/common/tools.dadl.yaml': fragment('first') }
    return withGateway(files, WATCHED, async opened => {
      const { workspace } = opened
      assert.deepEqual([names(opened), codes(opened)], [['a_first'], []])
      workspace.write('apis/common/tools.dadl.yaml', fragment('second'))
      await until('the fragment is read again', () => names(opened).includes('a_second'))
      workspace.remove('apis/common/tools.dadl.yaml')
      await until('the problem is reported', () => codes(opened).includes('file_unreadable'))
      assert.deepEqual(names(opened), ['a_second'])
    })
  })

  test('a second tool of a served name does not take it over', () =>
    withGateway({ 'tools/b.clad.toml': manifest('a', ['printf', 'first']) }, WATCHED, async opened => {
      const { gateway, workspace } = opened
      const [before] = gateway.tools(LOCAL)
      workspace.write('tools/a.clad.toml', manifest('a', ['printf', 'second']))
      await until('the clash is reported', () => codes(opened).length === 2)
      assert.equal(gateway.tools(LOCAL)[0]?.hash, before?.hash)
      workspace.remove('tools/a.clad.toml')
      await until('it is settled', () => codes(opened).length === 0)
    }))

  test('a call in flight keeps the tool it started with', () =>
    withGateway({ 'tools/a.clad.toml': manifest('a', ['sleep', '1.25']) }, WATCHED, async opened => {
      const { gateway, workspace } = opened
      const call = gateway.call({ tool: 'a', args: {} }, { principal: LOCAL })
      await opened.untilRunning('sleep 1.25')
      workspace.remove('tools/a.clad.toml')
      await until('it is gone', () => names(opened).length === 0)
      const outcome = await call
      assert.equal(outcome.status, 'ok')
    }))

  test('the list is the same array until something changes', () =>
    withGateway({ 'tools/a.clad.toml': manifest('a', ['true']) }, WATCHED, async opened => {
      const { gateway, workspace } = opened
      const before = gateway.tools(LOCAL)
      assert.equal(gateway.tools(LOCAL), before)
      workspace.write('tools/b.clad.toml', manifest('b', ['true']))
      await until('it is listed', () => names(opened).length === 2)
      assert.notEqual(gateway.tools(LOCAL), before)
    }))
})

describe('visibility', () => {
  const files = { 'tools/a.clad.toml': manifest('a', ['true']), 'tools/b.clad.toml': manifest('b', ['true']) }
  const onlyA: GatewayOptions['policy'] = {
    decide: ({ name }) => (name === 'a' ? { allow: true } : { allow: false, reason: 'b is for others' }),
    filter: (_principal, tools) => tools.filter(({ name }) => name === 'a'),
  }

  test('a tool the caller may not use is not listed, and answers like one that does not exist', () =>
    withGateway(files, { policy: onlyA }, async opened => {
      assert.deepEqual(names(opened), ['a'])
      const hidden = await opened.gateway.call({ tool: 'b', args: {} }, { principal: LOCAL })
      const missing = await opened.gateway.call({ tool: 'c', args: {} }, { principal: LOCAL })
      assert.deepEqual(
        [hidden, missing].map(o => o.status === 'denied' && o.by),
        ['authorization', 'authorization'],
      )
    }))
})

test('no approval is ever open, so none can be taken up', async () => {
  const { gateway, dispose } = await makeGateway({})
  const outcome = await gateway.resume('nothing', { principal: LOCAL })
  assert.deepEqual(outcome, {
    status: 'denied',
    by: 'approval',
    code: 'unknown_approval',
    reason: 'No approval nothing is open.',
  })
  await dispose()
})

test('a closed gateway runs nothing, and closing twice is once', async () => {
  const opened = await makeGateway({ 'tools/a.clad.toml': manifest('a', ['sleep', '444']) })
  const running = opened.gateway.call({ tool: 'a', args: {} }, { principal: LOCAL })
  await opened.untilRunning('sleep 444')
  await opened.gateway.close()
  const outcome = await running
  assert.equal(outcome.status === 'failed' && outcome.code, 'cancelled')
  await opened.untilGone('sleep 444')
  const late = await opened.gateway.call({ tool: 'a', args: {} }, { principal: LOCAL })
  assert.equal(late.status === 'failed' && late.code, 'closed')
  await opened.dispose()
})
