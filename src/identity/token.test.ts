import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { Secret } from '../core/secret.ts'
import { systemIds } from '../io/system.ts'
import { openToken, tokenAuthenticator } from './token.ts'

describe('the generated token', () => {
  const base = mkdtempSync(join(tmpdir(), 'token-test-'))
  let stateDir = base
  beforeEach(() => {
    stateDir = mkdtempSync(join(base, 'state-'))
  })
  after(() => rmSync(base, { recursive: true }))

  const token = async (): Promise<string> => (await openToken({ stateDir, ids: systemIds })).reveal()

  test('is the same after a restart', async () => {
    const first = await token()
    assert.match(first, /^[0-9a-f]{64}$/)
    assert.equal(await token(), first)
  })

  test('is one, however many gateways start at one moment', async () => {
    const tokens = await Promise.all(Array.from({ length: 8 }, token))
    assert.deepEqual(new Set(tokens), new Set([await token()]))
  })

  test('is never made of a file that holds something else', async () => {
    writeFileSync(join(stateDir, 'token'), '')
    await assert.rejects(token(), { code: 'state_unsafe' })
  })

  test('admits its bearer and nobody else', () => {
    const admit = tokenAuthenticator(new Secret('a-token'))
    assert.equal(admit('a-token')?.id, 'token')
    for (const other of ['', 'a-toke', 'a-token ', 'A-token']) assert.equal(admit(other), undefined)
  })
})
