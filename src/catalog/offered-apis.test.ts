import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeGateway } from '../../test/helpers/gateway.ts'
import { describedApi, describedCommand, describedTool } from '../../test/helpers/described.ts'
import { manifest } from '../../test/helpers/workspace.ts'
import { LOCAL } from '../core/principal.ts'
import { ALLOW_ALL } from '../policy/engine.ts'
import { offeredApis } from './offered-apis.ts'
import { COMMAND_LINE } from './typegen/index.ts'

const document = (name: string, ...tools: readonly string[]): string =>
  `spec: https://dadl.ai/spec/dadl-spec-v0.2.md\nbackend: {name: ${name}, type: rest, base_url: 'https://x.example.com', description: The ${name}, auth: {type: bearer, credential: none}, tools: {${tools
    .map(tool => `${tool}: {method: GET, path: /x, description: d}`)
    .join(', ')}}}\n`

test('tools stand with what their file says of the API, the command line last', async () => {
  const { gateway, workspace, dispose } = await makeGateway({
    'apis/b.dadl': document('lake', 'fish'),
    'apis/a.dadl': document('sea', 'swim', 'dive'),
    'tools/say.clad.toml': manifest('say', ['true']),
  })
  try {
    const apis = gateway.apis(LOCAL)
    assert.deepEqual(
      apis.map(({ api, tools }) => [api.name, api.description, api.file, tools.map(({ name }) => name)]),
      [
        ['lake', 'The lake', `${workspace.path}/apis/b.dadl`, ['lake_fish']],
        ['sea', 'The sea', `${workspace.path}/apis/a.dadl`, ['sea_dive', 'sea_swim']],
        ['cli', COMMAND_LINE.description, undefined, ['say']],
      ],
    )
    assert.equal(gateway.apis(LOCAL), apis)
  } finally {
    await dispose()
  }
})

test('of what a principal may not see there is nothing', async () => {
  const policy = {
    ...ALLOW_ALL,
    filter: <T extends { readonly name: string }>(_who: unknown, entries: readonly T[]) =>
      entries.filter(({ name }) => name === 'sea_dive'),
  }
  const files = { 'apis/a.dadl': document('sea', 'swim', 'dive'), 'apis/b.dadl': document('lake', 'fish') }
  const { gateway, dispose } = await makeGateway(files, { policy })
  try {
    const seen = gateway.apis(LOCAL).map(({ api, tools }) => [api.name, tools.map(({ name }) => name)])
    assert.deepEqual(seen, [['sea', ['sea_dive']]])
  } finally {
    await dispose()
  }
})

test('an API no file describes is known by its tools', () => {
  const api = describedApi({ name: 'shop' })
  const groups = offeredApis([
    { tool: describedCommand('say') },
    { tool: describedTool('buy'), api },
    { tool: describedTool('ask', { backend: 'other' }) },
  ])
  assert.deepEqual(
    groups.map(group => group.api.name),
    ['other', 'shop', 'cli'],
  )
  assert.equal(groups[1]?.api, api)
})
