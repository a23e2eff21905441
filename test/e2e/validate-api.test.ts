// `validate` of API documents: profiles, fragments, and what `version` says of DADL.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import * as z from 'zod'
import { sallyport } from '../helpers/processes.ts'
import { makeWorkspace } from '../helpers/workspace.ts'

const report = z.object({
  ok: z.boolean(),
  files: z.array(
    z.object({
      file: z.string(),
      format: z.string(),
      profile: z.string(),
      ok: z.boolean(),
      diagnostics: z.array(
        z.object({
          code: z.string(),
          severity: z.string(),
          file: z.string(),
          line: z.number(),
          column: z.number(),
          path: z.string(),
        }),
      ),
    }),
  ),
})

const DOCUMENT = `spec: https://dadl.ai/spec/dadl-spec-v0.2.md
_x: &x {access: read}
includes: [{path: common/tools.dadl.yaml, merge_into: backend.tools}]
backend:
  name: a
  type: rest
  base_url: https://api.example.com
  description: d
  auth: {type: bearer, credential: none}
  tools:
    t: {<<: *x, method: GET, path: /x, description: d}
`

describe('validate of an API document', () => {
  const workspace = makeWorkspace({
    'sallyport.yaml': '',
    'a.dadl': DOCUMENT,
    'typo.dadl': DOCUMENT.replace('path: /x', 'path: /x, acces: read'),
    'common/tools.dadl.yaml': '_fragment: true\nu: {method: GET, path: /x, description: d}\n',
    'wrong.dadl': DOCUMENT.replace('tools.dadl.yaml', 'wrong.dadl.yaml'),
    'common/wrong.dadl.yaml': '_fragment: true\nu:\n  method: FETCH\n  path: /x\n  description: d\n',
  })
  after(() => workspace.dispose())
  const cli = (...args: readonly string[]) => sallyport(['validate', ...args], { cwd: workspace.path })

  test('is as strict as a writer, or as a registry', async () => {
    const { stdout, code } = await cli('a.dadl', '--json')
    const [file] = report.parse(JSON.parse(stdout)).files
    assert.deepEqual(
      [code, file?.profile, file?.format, file?.diagnostics.map(d => `${d.severity} ${d.code}`)],
      [0, 'validate', 'dadl', ['warning merge_key']],
    )
    const published = await cli('a.dadl', '--publish', '--json')
    const [strict] = report.parse(JSON.parse(published.stdout)).files
    assert.deepEqual([published.code, strict?.profile, strict?.ok], [1, 'publish', false])
    assert.equal((await cli('a.dadl', '--strict')).code, 1)
  })

  test('refuses unknown keys, unless it is told not to', async () => {
    const { stdout, code } = await cli('typo.dadl')
    assert.equal(code, 1)
    assert.match(stdout, /error\[unknown_key\].*did you mean "access"/)
    assert.equal((await cli('typo.dadl', '--allow-unknown-keys')).code, 0)
  })

  test('shows the line of the fragment it is in', async () => {
    const { stdout } = await cli('wrong.dadl')
    assert.match(stdout, /common\/wrong\.dadl\.yaml:3:3\n[^]*3 \| {3}method: FETCH/)
    const json = await cli('wrong.dadl', '--json')
    const found = report.parse(JSON.parse(json.stdout)).files[0]?.diagnostics.find(d => d.code === 'unknown_value')
    assert.deepEqual([found?.file, found?.path], ['common/wrong.dadl.yaml', '/u/method'])
  })

  test('holds a document against the version before', async () => {
    workspace.write(
      'old.dadl',
      DOCUMENT.replace('name: a', 'name: a\n  version: "1.0"').replace('    t: {', '    gone: {'),
    )
    workspace.write('new.dadl', DOCUMENT.replace('name: a', 'name: a\n  version: "1.1"'))
    const { stdout, code } = await cli('new.dadl', '--against', 'old.dadl', '--json')
    const codes = report.parse(JSON.parse(stdout)).files[0]?.diagnostics.map(d => d.code)
    assert.deepEqual([code, codes?.toSorted()], [1, ['merge_key', 'removed_undeprecated', 'version_bump']])
    assert.equal((await cli('new.dadl', '--against', 'new.dadl')).code, 0)
    assert.equal((await cli('new.dadl', 'old.dadl', '--against', 'old.dadl')).code, 64)
    assert.equal((await cli('new.dadl', '--against', 'absent.dadl')).code, 2)
  })

  test('goes with what version says of DADL', async () => {
    const { stdout } = await sallyport(['version', '--json'], { cwd: workspace.path })
    const { dadl } = z
      .object({
        dadl: z.object({
          profile: z.string(),
          spec: z.string(),
          features: z.array(z.string()),
          gaps: z.array(z.string()),
        }),
      })
      .parse(JSON.parse(stdout))
    assert.equal(dadl.spec, '0.2')
    assert.equal(dadl.features.length + dadl.gaps.length, 12)
    assert.ok(dadl.features.includes('returns') && dadl.gaps.includes('redact'))
  })
})
