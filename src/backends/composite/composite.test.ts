import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeGateway } from '../../../test/helpers/gateway.ts'
import type { TestGateway } from '../../../test/helpers/gateway.ts'
import { LOCAL } from '../../core/principal.ts'

const DOCUMENT = `spec: https://dadl.ai/spec/dadl-spec-v0.2.md
backend:
  name: harbour
  type: rest
  base_url: https://harbour.example.com
  description: d
  auth: {type: bearer, credential: none}
  tools: {list: {method: GET, path: /ships, description: d}}
  composites:
    count: {description: Counts, access: read, code: return 1, params: {most: {type: integer, required: true}}}
`

describe('a composite', () => {
  let opened: TestGateway
  before(async () => {
    opened = await makeGateway({ 'apis/harbour.dadl': DOCUMENT })
  })
  after(() => opened.dispose())
  const call = (args: Readonly<Record<string, number | string>>) =>
    opened.gateway.call({ tool: 'harbour_count', args }, { principal: LOCAL })

  test('is listed like any tool, with its schema', () => {
    const found = opened.gateway.tools(LOCAL).find(({ name }) => name === 'harbour_count')
    assert.deepEqual(
      [found?.tool.access, found?.tool.inputSchema],
      [
        'read',
        { type: 'object', properties: { most: { type: 'integer' } }, required: ['most'], additionalProperties: false },
      ],
    )
    assert.deepEqual(
      opened.gateway.problems().map(({ code, severity }) => [code, severity]),
      [['unsupported', 'warning']],
    )
  })

  test('judges its arguments', async () => {
    const outcome = await call({ most: 'many' })
    assert.equal(outcome.status === 'denied' && outcome.by, 'argument')
  })

  test('is denied, because nothing here runs its code', async () => {
    const outcome = await call({ most: 1 })
    assert.ok(outcome.status === 'denied' && outcome.by === 'backend')
    assert.equal(outcome.code, 'unsupported')
  })
})
