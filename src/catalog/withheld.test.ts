// Tools that load and do not run: people find them, clients do not.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeGateway } from '../../test/helpers/gateway.ts'
import type { TestGateway } from '../../test/helpers/gateway.ts'
import { CALLBACK, manifest, sessionManifest } from '../../test/helpers/workspace.ts'
import type { Outcome } from '../core/outcome.ts'
import { LOCAL } from '../core/principal.ts'
import type { Gateway } from '../gateway.ts'

const SESSION = sessionManifest(
  'db',
  '[session.commands.read]\npattern = "SELECT .+"\n[session.commands.drop]\npattern = "DROP .+"\nrisk_tier = "high"',
)
const BROWSER = SESSION.replace('name = "db"', 'name = "web"').replace(
  /\[session\][^]*(?=\[output\])/,
  '[browser]\n[browser.commands.snapshot]\n',
)

const names = (tools: readonly { readonly name: string }[]): readonly string[] => tools.map(({ name }) => name)

function deniedBy(outcome: Outcome): unknown {
  return outcome.status === 'denied' ? [outcome.by, 'code' in outcome ? outcome.code : ''] : outcome.status
}

describe('tools that are not offered', () => {
  let opened: TestGateway
  let gateway: Gateway
  before(async () => {
    opened = await makeGateway({
      'tools/db.clad.toml': SESSION,
      'tools/web.clad.toml': BROWSER,
      'tools/keep.clad.toml': CALLBACK,
      'tools/say.clad.toml': manifest('say', ['true']),
    })
    ;({ gateway } = opened)
  })
  after(() => opened.dispose())

  test('are in no list of a client', () => {
    assert.deepEqual(gateway.problems(), [])
    assert.deepEqual(names(gateway.tools(LOCAL)), ['say'])
    const reasons = gateway.withheld(LOCAL).map(({ name, withheld: { reason } }) => [name, reason.slice(0, 41)])
    assert.deepEqual(reasons, [
      ['db_drop', 'session mode is parsed but not yet execut'],
      ['db_read', 'session mode is parsed but not yet execut'],
      ['keep', 'dispatch = "callback" leaves the running '],
      ['web_snapshot', 'browser mode is parsed but not yet execut'],
    ])
  })

  for (const tool of ['db_read', 'db.read', 'web_snapshot', 'keep'])
    test(`${tool} answers a client like a tool that does not exist`, async () => {
      const absent = await gateway.call({ tool: 'absent', args: {} }, { principal: LOCAL })
      const args = { command: 'SELECT 1' }
      assert.deepEqual(await gateway.call({ tool, args }, { principal: LOCAL }), absent)
      assert.deepEqual(await gateway.call({ tool, args }, { principal: LOCAL, approved: true }), absent)
    })

  test('say why to a person who asks, whatever the arguments', async () => {
    const asked = { principal: LOCAL, explain: true }
    for (const [tool, code] of [
      ['db_read', 'not_executable'],
      ['db.drop', 'not_executable'],
      ['web_snapshot', 'not_executable'],
      ['keep', 'callback'],
    ] as const)
      assert.deepEqual(deniedBy(await gateway.call({ tool, args: { x: 1 } }, asked)), ['backend', code])
    assert.deepEqual(deniedBy(await gateway.call({ tool: 'absent', args: {} }, asked)), [
      'authorization',
      'unknown_tool',
    ])
  })

  test('are judged like any other where nothing runs anyway', async () => {
    const judge = (tool: string, args: Readonly<Record<string, string>>) =>
      gateway.test({ tool, args }, { principal: LOCAL })
    const report = await judge('db.read', { command: 'SELECT "a"' })
    assert.ok(report.status === 'dry_run')
    assert.deepEqual(
      [report.tool, report.preview, report.values],
      ['db_read', { kind: 'session' }, { command: 'SELECT "a"' }],
    )
    const refused = await judge('db_read', { command: 'DROP x' })
    assert.ok(refused.status === 'denied' && refused.by === 'argument')
    const kept = await judge('keep', { confidence: '1e0' })
    assert.ok(kept.status === 'dry_run')
    assert.deepEqual([kept.preview, kept.values], [{ kind: 'callback' }, { confidence: '1' }])
  })

  test('stay hidden from whom the policy hides them', async () => {
    const strict = await makeGateway(
      { 'tools/db.clad.toml': SESSION },
      { policy: { decide: () => ({ allow: false, reason: 'no' }), filter: () => [] } },
    )
    assert.deepEqual(strict.gateway.withheld(LOCAL), [])
    const outcome = await strict.gateway.call({ tool: 'db_read', args: {} }, { principal: LOCAL, explain: true })
    assert.deepEqual(deniedBy(outcome), ['authorization', 'not_authorized'])
    await strict.dispose()
  })
})

describe('names of commands', () => {
  async function listed(
    files: Readonly<Record<string, string>>,
  ): Promise<{ names: readonly string[]; problems: readonly string[] }> {
    const { gateway, dispose } = await makeGateway(files)
    const found = {
      names: names([...gateway.tools(LOCAL), ...gateway.withheld(LOCAL)]),
      problems: gateway.problems().map(({ code }) => code),
    }
    await dispose()
    return found
  }
  const command = (name: string): string => `[session.commands.${name}]\npattern = "x"`

  test('two files of one name are a clash; many commands of one file are none', async () => {
    const { names: found, problems } = await listed({
      'tools/a.clad.toml': sessionManifest('a', `${command('x')}\n${command('y')}`),
      'tools/b.clad.toml': sessionManifest('b', command('x')),
      'tools/c.clad.toml': sessionManifest('b', command('y')),
      'tools/d.clad.toml': manifest('d', ['true']),
      'tools/e.clad.toml': sessionManifest('d', command('x')),
    })
    assert.deepEqual(found, ['a_x', 'a_y'])
    assert.deepEqual(
      problems,
      Array.from({ length: 4 }, () => 'duplicate_name'),
    )
  })

  test('that would be called the same, or too long, are told apart', async () => {
    const { names: found, problems } = await listed({
      'tools/a.clad.toml': sessionManifest('a', command('b_c')),
      'tools/b.clad.toml': sessionManifest('a_b', command('c')),
      'tools/c.clad.toml': manifest('a_b_c', ['true']),
      'tools/d.clad.toml': sessionManifest('l'.repeat(64), command('m'.repeat(64))),
    })
    assert.deepEqual(problems, [])
    assert.equal(new Set(found).size, 4)
    for (const name of found) assert.match(name, /^(?:a_b_c|l{57})_[0-9a-f]{6}$/)
  })
})
