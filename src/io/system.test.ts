import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openIds, systemClock, systemIds } from './system.ts'

describe('uuid', () => {
  test('is a UUIDv7 of this moment', () => {
    const before = Date.now()
    const id = systemIds.uuid()
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const time = Number.parseInt(id.replace('-', '').slice(0, 12), 16)
    assert.ok(time >= before - 1 && time <= Date.now() + 1000)
  })

  for (const { name, now } of [
    { name: 'within one millisecond', now: () => 1_700_000_000_000 },
    { name: 'with a clock that goes back', now: countdown(1_700_000_000_000) },
    { name: 'with the clock of this machine', now: systemClock.now },
  ])
    test(`sorts in the order of making ${name}`, () => {
      const ids = openIds({ now })
      const made = Array.from({ length: 20_000 }, () => ids.uuid())
      assert.deepEqual(made.toSorted(), made)
      assert.equal(new Set(made).size, made.length)
    })

  test('two sources do not make the same', () => {
    const now = () => 5
    assert.notEqual(openIds({ now }).uuid(), openIds({ now }).uuid())
  })
})

test('hex has two digits for each byte', () => {
  assert.match(systemIds.hex(6), /^[0-9a-f]{12}$/)
})

describe('sleep', () => {
  test('ends when the signal aborts, at once when it has', async () => {
    const controller = new AbortController()
    const sleeping = systemClock.sleep(2 ** 40, controller.signal)
    controller.abort()
    await sleeping
    await systemClock.sleep(2 ** 40, controller.signal)
  })

  test('longer than a timer can hold does not fire at once', async () => {
    const controller = new AbortController()
    let over = false
    const sleeping = systemClock.sleep(2 ** 31 + 5, controller.signal).then(() => (over = true))
    await systemClock.sleep(20)
    assert.equal(over, false)
    controller.abort()
    await sleeping
  })
})

function countdown(from: number): () => number {
  let time = from
  return () => time--
}
