import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Diagnostic } from '../core/diagnostic.ts'
import { githubLines, sarif } from './lint-formats.ts'
import { VERSION } from './version.ts'

const PROBLEM: Diagnostic = {
  code: 'unknown_key',
  severity: 'error',
  message: '50% of "a:b"\nis wrong',
  line: 3,
  column: 2,
  path: '/a',
  hint: 'c',
}
const FILES = [
  { file: 'tools/a b,c.clad.toml', diagnostics: [PROBLEM, { ...PROBLEM, code: 'bad_name', severity: 'warning' }] },
  { file: 'ok.clad.toml', diagnostics: [] },
] as const

test('GitHub gets one escaped line a problem', () => {
  const [first, second, ...rest] = githubLines(FILES)
  assert.equal(first, '::error file=tools/a b%2Cc.clad.toml,line=3,col=2,title=unknown_key::50%25 of "a:b"%0Ais wrong')
  assert.match(second ?? '', /^::warning .*title=bad_name::/)
  assert.deepEqual(rest, [])
})

test('SARIF names each rule once and each problem with its place', () => {
  const { version, runs } = sarif(FILES)
  const [run] = runs
  assert.equal(version, '2.1.0')
  assert.deepEqual(run?.tool.driver.rules, [{ id: 'bad_name' }, { id: 'unknown_key' }])
  assert.equal(run.results.length, 2)
  assert.deepEqual(run.results[0], {
    ruleId: 'unknown_key',
    level: 'error',
    message: { text: '50% of "a:b"\nis wrong' },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'tools/a%20b,c.clad.toml' },
          region: { startLine: 3, startColumn: 2 },
        },
      },
    ],
  })
})

test('the version is that of package.json', () => {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  assert.ok(text.includes(`\n  "version": "${VERSION}",\n`))
})
