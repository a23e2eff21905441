import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describedApi, describedTool } from '../../test/helpers/described.ts'
import { apiJson, apiText } from './show-api.ts'

const api = describedApi({
  name: 'my-shop',
  version: '1.2',
  description: 'A shop\nof things\n',
  file: '/work/apis/shop.dadl',
  types: { Thing: {} },
  health: true,
  containsCode: true,
  credentials: ['shop-token'],
  coverage: { percentage: 3, focus: 'things' },
  setup: {
    credential_steps: ['Ask', 'Wait'],
    env_var: 'CREDENTIAL_SHOP_TOKEN',
    backends_yaml: '- name: shop\n  transport: rest\n',
  },
  examples: [{ name: 'Buy', description: 'Buys one', code: 'const all = await api.list()\nreturn all[0]\n' }],
})
const tools = [
  describedTool('list', { access: 'read', hints: { order: 'by name', kept: 3 } }),
  describedTool('old', { access: 'read', deprecated: { reason: 'slow', replacedBy: 'list' } }),
  describedTool('older', { deprecated: {} }),
  describedTool('burn', { access: 'danger\u001b[2J\nread (9): nothing' }),
].map(tool => ({ name: `my-shop_${tool.name}`, hash: '', tool, api }))

test('a person reads all the file says', () => {
  const plain = { style: (_name: string, text: string): string => text }
  assert.equal(
    apiText({ api, tools }, { print: plain, cwd: '/work' }),
    `my-shop 1.2
  A shop
  of things
  file: apis/shop.dadl
  credentials: shop-token
  health: api["my-shop"].health()
  contains code: yes: its composites

Coverage
  percentage: 3
  focus: things

Setup
  credential_steps:
    - Ask
    - Wait
  env_var: CREDENTIAL_SHOP_TOKEN
  backends_yaml:
    - name: shop
      transport: rest

Tools (4)
  danger\\u001b[2J\\nread (9): nothing (1): burn
  read (2): list, old
  no access given (1): older

Deprecated
  old: slow; use list instead
  older

Hints
  list, order: by name
  list, kept: 3

Example: Buy
  Buys one
  const all = await api.list()
  return all[0]`,
  )
})

test('a program gets it as it is', () => {
  const { tools: shown, ...rest } = apiJson({ api, tools: tools.slice(0, 2) })
  const { containsCode: _code, ...said } = api
  assert.deepEqual(rest, { ...said, contains_code: true, types: ['Thing'] })
  assert.deepEqual(JSON.parse(JSON.stringify(shown)), [
    { name: 'list', exposed_as: 'my-shop_list', access: 'read', description: '', hints: { order: 'by name', kept: 3 } },
    {
      name: 'old',
      exposed_as: 'my-shop_old',
      access: 'read',
      description: '',
      deprecated: 'slow',
      replaced_by: 'list',
    },
  ])
})
