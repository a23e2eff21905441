import assert from 'node:assert/strict'
import { BlockList, isIP } from 'node:net'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { covers, formatIp, overlaps, parseCidr, parseIp } from './ip.ts'

const cases: readonly (readonly [string, string | undefined])[] = [
  ['1.2.3.4', '1.2.3.4'],
  ['255.255.255.255', '255.255.255.255'],
  ['01.2.3.4', undefined],
  ['1.2.3', undefined],
  ['1.2.3.256', undefined],
  [' 1.2.3.4', undefined],
  ['0x7f.0.0.1', undefined],
  ['2130706433', undefined],
  ['::', '::'],
  ['::1', '::1'],
  ['2001:DB8::0:1', '2001:db8::1'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['1:2:3:4:5:6:7:0', '1:2:3:4:5:6:7:0'],
  ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
  ['::ffff:102:304', '::ffff:1.2.3.4'],
  ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ['fe80::1%eth0', undefined],
  ['1::2::3', undefined],
  [':::', undefined],
  ['1:2:3:4:5:6:7', undefined],
  ['1:2:3:4:5:6:7:8:9', undefined],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['12345::', undefined],
  ['[::1]', undefined],
  ['::1.2.3.4.5', undefined],
]

describe('addresses', () => {
  for (const [text, want] of cases)
    test(text, () => {
      const parsed = parseIp(text)
      assert.equal(parsed === undefined ? undefined : formatIp(parsed), want)
    })

  test('every address parses, its canonical form parses to the same, and nothing else does (property)', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.stringMatching(/^[0-9a-f:.]{1,40}$/)), text => {
        const parsed = parseIp(text)
        assert.equal(parsed !== undefined, isIP(text) !== 0, text)
        if (parsed === undefined) return
        const canonical = formatIp(parsed)
        assert.deepEqual(parseIp(canonical), parsed)
        assert.equal(formatIp(parseIp(canonical) ?? parsed), canonical)
      }),
    )
  })
})

describe('ranges', () => {
  test('hold what Node’s BlockList says they hold (property)', () => {
    const cidr = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
      fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
    )
    fc.assert(
      fc.property(cidr, fc.oneof(fc.ipV4(), fc.ipV6()), ([address, prefix], other) => {
        const range = parseCidr(`${address}/${prefix}`)
        const ip = parseIp(other)
        assert.ok(range && ip)
        // BlockList takes a mapped address for the IPv4 one inside; here they are two, and policies know their images.
        if (range.version !== ip.version) return assert.equal(covers(range, ip), false)
        const list = new BlockList()
        list.addSubnet(address, prefix, range.version === 4 ? 'ipv4' : 'ipv6')
        return assert.equal(covers(range, ip), list.check(other, ip.version === 4 ? 'ipv4' : 'ipv6'))
      }),
    )
  })

  test('overlap and cover', () => {
    const range = (text: string) => parseCidr(text) ?? assert.fail(text)
    assert.equal(overlaps(range('10.0.0.0/8'), range('10.1.0.0/16')), true)
    assert.equal(overlaps(range('10.0.0.0/8'), range('11.0.0.0/8')), false)
    assert.equal(covers(range('10.0.0.0/23'), range('10.0.1.0/24')), true)
    assert.equal(covers(range('10.0.1.0/24'), range('10.0.0.0/23')), false)
    assert.equal(overlaps(range('0.0.0.0/0'), range('::/0')), false)
    for (const bad of ['1.2.3.4', '1.2.3.4/33', '1.2.3.4/-1', '1.2.3.4/08', '1.2.3.4/8/8', '/8', '::/129', '::/'])
      assert.equal(parseCidr(bad), undefined, bad)
  })
})
