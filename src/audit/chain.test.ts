import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { UnlinkedRow } from './chain.ts'
import { genesis, link, payloadDigest, rowHash } from './chain.ts'

const writer = { id: 'w', pid: 7, processStart: '99', bootId: 'b', openedAt: 1_800_000_000_000 }
const row: UnlinkedRow = {
  writer: 'w',
  kind: 'started',
  callId: 'c',
  parentId: null,
  time: 1_800_000_000_001,
  principal: 'local',
  tool: 'greet',
  toolHash: null,
  outcome: null,
  durationMs: null,
  salt: '00',
  payload: '{"args":{}}',
}

describe('chain', () => {
  // Known answers, worked out with `printf … | sha256sum`: stores that exist must verify tomorrow.
  test('is what it always was', () => {
    const start = genesis(writer)
    const linked = link(row, 1, start)
    assert.equal(start, 'f30ae99540310ca8020eea5929ea6b81bb4ed5cc481192a46060d4f56ef7f96f')
    assert.equal(linked.payloadDigest, '61122e5f86ca5d8a0841ce0b26598237ce051b044d3990c7d13c87451fc83bed')
    assert.equal(linked.hash, '2f648cd7eb8449c7c2e9bf7471c64e4e2e479ce7e2634f494dec06f87d7b68d6')
  })

  test('a link keeps the row and adds its place', () => {
    const { hash, payloadDigest: digest, ...rest } = link(row, 3, 'before')
    assert.deepEqual(rest, { ...row, seq: 3, prevHash: 'before' })
    assert.equal(hash, rowHash({ ...rest, payloadDigest: digest }))
  })

  test('the hash covers every member but payload, salt and itself', () => {
    const linked = link(row, 1, 'before')
    const other = { ...linked, salt: null, payload: null, hash: 'x' }
    assert.equal(rowHash(other), linked.hash)
    for (const member of Object.keys(linked).filter(name => !['salt', 'payload', 'hash'].includes(name)))
      assert.notEqual(rowHash({ ...linked, [member]: 'edited' }), linked.hash, member)
  })

  test('the first hash covers all of the writer', () => {
    for (const member of Object.keys(writer))
      assert.notEqual(genesis({ ...writer, [member]: 'edited' }), genesis(writer), member)
  })

  test('nothing can be moved between two members (property)', () => {
    const text = fc.string({ unit: 'binary', maxLength: 4 })
    const both = fc.record({ tool: text, principal: text, callId: text })
    fc.assert(
      fc.property(both, both, (one, other) => {
        const isSame = Object.entries(one).every(([name, value]) =>
          Object.entries(other).some(([n, v]) => n === name && v === value),
        )
        assert.equal(link({ ...row, ...one }, 1, '').hash === link({ ...row, ...other }, 1, '').hash, isSame)
      }),
    )
  })

  test('nothing can be moved between salt and payload, so that no payload is hidden', () => {
    const digest = payloadDigest('0011', '{"args":{}}')
    for (const [salt, payload] of [
      ['001', '1{"args":{}}'],
      ['0011{', '"args":{}}'],
      ['', '0011{"args":{}}'],
      ['0011{"args":{}}', ''],
      ['0011\n{', '"args":{}}'],
    ] as const)
      assert.notEqual(payloadDigest(salt, payload), digest)
  })
})
