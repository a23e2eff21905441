// What a validator accepted is what a real process gets: one entry, or one variable, byte for byte.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { context, openTestCommand, processOf } from '../../../test/helpers/command.ts'
import type { Manifest } from '../../../test/helpers/command.ts'
import type { Values } from '../../core/tool.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'a b', '--x', '-', 'ä', ' ', '\u00a0', '*?~#%^', '=', 'a=b', '🚪', '\n', 'é\u0301'),
)
const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.constantFrom('example.com.', '8.8.8.8', '2001:4860::1'))

/** By type: more of its section, and values some of which it accepts. */
const TYPES: Readonly<Record<string, { readonly keys?: string; readonly values: fc.Arbitrary<string> }>> = {
  string: { keys: 'allow_whitespace = true\nallow_leading_dash = true', values: text },
  regex_match: { keys: 'pattern = "[^x]*"\nallow_whitespace = true\nallow_leading_dash = true', values: text },
  integer: {
    keys: 'allow_leading_dash = true',
    values: fc.oneof(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String), fc.constantFrom('007', '+5', '-0')),
  },
  number: {
    keys: 'allow_leading_dash = true',
    values: fc.oneof(fc.double().map(String), fc.constantFrom('1e3', '.5')),
  },
  port: { values: fc.integer({ min: -1, max: 70_000 }).map(String) },
  boolean: { values: fc.constantFrom('true', 'FALSE', 'yes') },
  enum: {
    keys: 'allowed = ["", "a b", "-x", "\\"q\\"", "é\\n", "$(id)"]',
    values: fc.constantFrom('', 'a b', '-x', '"q"', 'é\n', '$(id)'),
  },
  duration: { values: fc.constantFrom('30', '5m', '2h', '1h30m', '500ms', '1x') },
  msf_options: { values: fc.constantFrom('set A b', 'set A b;set C d', 'set A b;  set C d', 'set A') },
  scope_target: { values: host },
  ip_address: { values: host },
  cidr: { values: fc.tuple(host, fc.nat(130)).map(([address, bits]) => `${address}/${bits}`) },
  url: { values: fc.oneof(fc.webUrl(), fc.webUrl({ withQueryParameters: true, withFragments: true })) },
}
const REPEAT = 4
const names = Object.keys(TYPES).flatMap(type => Array.from({ length: REPEAT }, (_, n) => `${type}${n}`))
const args = names.map(name => {
  const type = name.slice(0, -1)
  return `[args.${name}]\ntype = "${type}"\n${TYPES[type]?.keys ?? ''}`
})
const given = fc.record(Object.fromEntries(names.map(name => [name, TYPES[name.slice(0, -1)]?.values ?? text])))

describe('accepted values', () => {
  const commands = openTestCommand()
  after(() => commands.close())
  const place = commands.fresh()

  /** Runs a tool with what it accepts of many values at once, and shows both. */
  async function check(manifest: Manifest, read: (stdout: string) => Values): Promise<void> {
    const { tool, callable } = await place.prepared(manifest)
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(given, async candidates => {
        const accepted = Object.entries(candidates).filter(([name, value]) => tool.validate({ [name]: value }).ok)
        for (const [name] of accepted) seen.add(name.slice(0, -1))
        const validation = tool.validate(Object.fromEntries(accepted))
        assert.ok(validation.ok)
        const resolution = await callable.resolve(validation.values, {
          lookups: true,
          signal: new AbortController().signal,
        })
        assert.ok(resolution.status === 'ready', JSON.stringify(resolution))
        const raw = processOf(await resolution.ready.run(context()))
        assert.equal(raw.exitCode, 0)
        assert.deepEqual(read(Buffer.from(raw.stdout).toString()), { ...validation.values })
      }),
      { numRuns: 40 },
    )
    assert.deepEqual([...seen].toSorted(), Object.keys(TYPES).toSorted(), 'each type accepted something')
  }

  test('are one entry each, in their places', async () => {
    // A separator that no value is tells which argument an entry belongs to.
    const exec = ['printf', '%s\\0', ...names.flatMap(name => [`<${name}>`, `{${name}}`])]
    await check({ exec, args: args.join('\n') }, stdout => {
      const values: Record<string, string> = {}
      let name = ''
      for (const entry of stdout.split('\0').slice(0, -1))
        if (entry.startsWith('<')) name = entry.slice(1, -1)
        else {
          assert.ok(!Object.hasOwn(values, name), `${name} became more than one entry`)
          values[name] = entry
        }
      return values
    })
  })

  test('are one variable each for an executor', async () => {
    mkdirSync(join(place.root, 'tools'))
    writeFileSync(join(place.root, 'tools', 'wrap'), '#!/bin/sh\nexec env -0')
    chmodSync(join(place.root, 'tools', 'wrap'), 0o755)
    await check({ executor: 'wrap', tool: 'allow_interpreter = true', args: args.join('\n') }, stdout => {
      const own = new Map(names.map(name => [`TOOLCLAD_ARG_${name.toUpperCase()}`, name]))
      return Object.fromEntries(
        stdout.split('\0').flatMap(line => {
          const name = own.get(line.slice(0, line.indexOf('=')))
          return name === undefined ? [] : [[name, line.slice(line.indexOf('=') + 1)]]
        }),
      )
    })
  })
})
