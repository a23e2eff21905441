import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { formatIp, parseCidr, parseIp } from './ip.ts'
import { checkedUrl } from '../io/egress/url.ts'
import { blocks, embeddedRange, judgeHost, judgeName, judgeRange } from './ranges.ts'
import type { Block } from './ranges.ts'

const policy = (blockInternal: boolean) => ({ blockInternal, allow: [] })

interface CorpusRow {
  readonly input: string
  readonly kind: 'ip' | 'host' | 'url' | 'cidr'
  readonly category: string
  readonly internal: boolean
  readonly always_blocked?: boolean
  readonly ambiguous?: boolean
  readonly syntax?: string
  readonly resolves_to?: string
}

const shared = process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../shared')
const file = join(shared, 'corpus/ssrf/ssrf.json')
const skip = existsSync(file) ? false : `${file} is not here`

describe('the corpus of targets', { skip }, () => {
  /** What the corpus says its names resolve to. */
  const answers: Readonly<Record<string, string>> = { 'public-name-to-loopback': '127.0.0.1' }

  /** As a request to that target is judged; `syntax` for what is no target at all. */
  function judge(
    { input, kind, category, resolves_to: resolvesTo }: CorpusRow,
    blockInternal: boolean,
  ): Block | 'syntax' | undefined {
    const target = policy(blockInternal)
    if (kind === 'cidr') {
      const range = parseCidr(input)
      return range === undefined ? 'syntax' : judgeRange(range, target)
    }
    let host
    try {
      host = checkedUrl(kind === 'url' ? input : `http://${isIP(input) === 6 ? `[${input}]` : input}/`).hostname
    } catch {
      return 'syntax'
    }
    // A port or a path is part of a URL, not of a host; numbers have many spellings.
    if (kind === 'host' && host !== input.toLowerCase() && isIP(host) === 0) return 'syntax'
    const plain = host.replace(/^\[(.*)\]$/, '$1')
    if (isIP(plain) !== 0) return judgeHost(plain, target)
    const resolved = parseIp(resolvesTo ?? answers[category] ?? '93.184.215.14')
    assert.ok(resolved)
    return judgeHost(host, target) ?? judgeRange(resolved, target)
  }

  const rows: readonly CorpusRow[] = skip === false ? JSON.parse(readFileSync(file, 'utf8')) : []

  test('what is internal is refused, what is not is let through', () => {
    assert.ok(rows.length > 500)
    const wrong = rows.filter(row => {
      if (row.ambiguous === true || (row.syntax !== undefined && !row.internal)) return false
      return (judge(row, true) !== undefined) !== row.internal
    })
    assert.deepEqual(
      wrong.map(({ input, kind, category }) => `${kind} ${input} (${category})`),
      [],
    )
  })

  test('what is always blocked is refused even without block_internal', () => {
    const wrong = rows.filter(
      row => row.always_blocked === true && row.ambiguous !== true && judge(row, false) === undefined,
    )
    assert.deepEqual(
      wrong.map(({ input }) => input),
      [],
    )
  })
})

describe('exemptions', () => {
  const allow = [parseCidr('10.0.1.0/24')].flatMap(r => r ?? [])
  const judge = (text: string): Block | undefined => {
    const range = parseCidr(text) ?? parseIp(text)
    assert.ok(range)
    return judgeRange(range, { blockInternal: true, allow })
  }

  test('hold for what lies inside whole, in every spelling of it', () => {
    for (const inside of ['10.0.1.7', '10.0.1.0/25', '::ffff:10.0.1.7', '64:ff9b::a00:107'])
      assert.equal(judge(inside), undefined, inside)
    for (const outside of ['10.0.2.1', '10.0.0.0/23', '::ffff:10.0.2.1', '127.0.0.1'])
      assert.equal(judge(outside), 'internal', outside)
  })

  test('never for what is always blocked', () => {
    const everything = [parseCidr('0.0.0.0/0'), parseCidr('::/0')].flatMap(r => r ?? [])
    for (const text of ['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254']) {
      const range = parseIp(text)
      assert.ok(range)
      assert.equal(judgeRange(range, { blockInternal: true, allow: everything }), 'always_blocked')
    }
    assert.equal(judgeName('metadata.google.internal.', { blockInternal: false, allow: everything }), 'always_blocked')
  })
})

test('an address is judged as one, not as a name with four numbers or without a dot', () => {
  const strict = policy(true)
  for (const open of ['8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'])
    assert.equal(judgeHost(open, strict), undefined, open)
  for (const closed of ['10.0.0.1', '::1', '8.8.8.8.nip.io', 'intranet'])
    assert.equal(judgeHost(closed, strict), 'internal')
})

test('the address inside an address', () => {
  for (const [text, want] of [
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['64:ff9b::a00:1', '10.0.0.1'],
    ['2002:a00:1::5', '10.0.0.1'],
    ['64:ff9b:1::a00:1', '64:ff9b:1::a00:1'],
    ['::a00:1', '::a00:1'],
    ['10.0.0.1', '10.0.0.1'],
  ] as const) {
    const address = parseIp(text)
    assert.ok(address)
    assert.equal(formatIp(embeddedRange(address)), want)
  }
  for (const [text, want] of [
    ['::ffff:10.0.1.0/120', '10.0.1.0/24'],
    ['2002:a00:100::/40', '10.0.1.0/24'],
    ['2002:a00:1::/56', '10.0.0.1/32'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['::/0', '::/0'],
    ['64:ff9b::/64', '64:ff9b::/64'],
  ] as const) {
    const range = parseCidr(text)
    assert.ok(range)
    assert.deepEqual(embeddedRange(range), parseCidr(want), text)
  }
})

test('a rule blocks a range through IPv6 too, however it is written', () => {
  const range = (text: string) => parseCidr(text) ?? assert.fail(text)
  for (const [rule, target, want] of [
    ['10.0.0.0/8', '10.1.0.0/16', true],
    ['10.0.0.0/8', '::/0', true],
    ['10.0.0.0/8', '64:ff9b::a00:0/104', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3/32', true],
    ['::ffff:10.0.0.0/104', '2002:a01::/32', true],
    ['10.0.0.0/8', '2001::/16', false],
    ['10.0.0.0/8', '::ffff:11.0.0.0/104', false],
    ['::/0', '8.8.8.8/32', false],
  ] as const)
    assert.equal(blocks(range(rule), range(target)), want, `${rule} ${target}`)
})
