import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadConfig } from './load.ts'

describe('a configuration that is right', () => {
  test('is read whole', () => {
    const text = [
      'tools: [tools/**/*.clad.toml]',
      'listen: "[::1]:80"',
      'files: {root: src, allow_hidden: true}',
      'storage: {kind: sqlite, durability: normal}',
      'evidence: {dir: out, retention: 30d}',
    ].join('\n')
    assert.deepEqual(loadConfig(text, 'sallyport.yaml'), {
      config: {
        tools: ['tools/**/*.clad.toml'],
        listen: { host: '::1', port: 80 },
        files: { root: 'src', allow_hidden: true },
        storage: { kind: 'sqlite', durability: 'normal' },
        evidence: { dir: 'out', retention: 2_592_000_000 },
      },
      diagnostics: [],
    })
  })

  for (const text of ['', '# nothing yet\n', '{}'])
    test(`may be empty: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(loadConfig(text, 'f'), { config: {}, diagnostics: [] })
    })
})

describe('a configuration that is wrong', () => {
  const cases: readonly {
    readonly text: string
    readonly want: readonly (readonly [code: string, path: string, line: number, column: number, hint?: string])[]
  }[] = [
    { text: 'tool: []', want: [['unknown_key', '/tool', 1, 1, 'tools']] },
    { text: 'files:\n  rooot: x', want: [['unknown_key', '/files/rooot', 2, 3, 'root']] },
    { text: 'zzz: 1', want: [['unknown_key', '/zzz', 1, 1]] },
    { text: 'toString: 1', want: [['unknown_key', '/toString', 1, 1]] },
    { text: 'mcp: {}', want: [['unsupported', '/mcp', 1, 1]] },
    { text: 'apis: {x: {}}', want: [['missing_key', '/apis/x/file', 1, 8]] },
    { text: 'apis: {x: {file: y, ulr: z}}', want: [['unknown_key', '/apis/x/ulr', 1, 21, 'url']] },
    { text: 'apis: {A_b: {file: y}}', want: [['bad_value', '/apis/A_b', 1, 8]] },
    { text: 'apis: {x: {file: y, url: here}}', want: [['bad_value', '/apis/x/url', 1, 21]] },
    ...['http://h/?a=b', 'http://h/#a', 'http://u:p@h/'].map(url => ({
      text: `apis: {x: {file: y, url: "${url}"}}`,
      want: [['bad_value', '/apis/x/url', 1, 21]] as const,
    })),
    { text: 'files: {upload_dir: x}', want: [['unsupported', '/files/upload_dir', 1, 9]] },
    { text: 'evidence: {retention: 30x}', want: [['bad_value', '/evidence/retention', 1, 12]] },
    { text: 'evidence: {retention: 0d}', want: [['bad_value', '/evidence/retention', 1, 12]] },
    { text: 'listen: 7411', want: [['wrong_type', '/listen', 1, 1]] },
    { text: 'listen: "7411"', want: [['bad_value', '/listen', 1, 1]] },
    { text: 'listen: "host:70000"', want: [['bad_value', '/listen', 1, 1]] },
    { text: 'files:', want: [['wrong_type', '/files', 1, 1]] },
    { text: 'files: {allow_hidden: yes}', want: [['wrong_type', '/files/allow_hidden', 1, 9]] },
    { text: 'tools: a', want: [['wrong_type', '/tools', 1, 1]] },
    { text: 'tools: [a, ""]', want: [['bad_value', '/tools/1', 1, 12]] },
    { text: 'storage: {kind: sqlit}', want: [['bad_value', '/storage/kind', 1, 11, 'sqlite']] },
    { text: 'storage: {durability: 1}', want: [['wrong_type', '/storage/durability', 1, 11]] },
    { text: '- a', want: [['wrong_type', '', 1, 1]] },
    { text: 'tools: []\ntools: []', want: [['duplicate_key', '/tools', 2, 1]] },
    { text: 'tools: [', want: [['syntax', '', 1, 9]] },
    { text: 'files: &f {}\nevidence: {<<: *f}', want: [['syntax', '/evidence/<<', 2, 12]] },
  ]
  for (const { text, want } of cases)
    test(JSON.stringify(text), () => {
      const { config, diagnostics } = loadConfig(text, 'sallyport.yaml')
      assert.equal(config, undefined)
      assert.deepEqual(
        diagnostics.map(({ code, path, line, column, hint }) =>
          hint === undefined ? [code, path, line, column] : [code, path, line, column, hint],
        ),
        want,
      )
      for (const { file, severity } of diagnostics) assert.deepEqual([file, severity], ['sallyport.yaml', 'error'])
    })

  test('says all of it at once, in the order of the lines', () => {
    const { diagnostics } = loadConfig('listn: x\nfiles: {rot: y}\nmcp: {}\ntools: [1]\n', 'f')
    assert.deepEqual(
      diagnostics.map(({ line, code }) => [line, code]),
      [
        [1, 'unknown_key'],
        [2, 'unknown_key'],
        [3, 'unsupported'],
        [4, 'wrong_type'],
      ],
    )
  })
})
