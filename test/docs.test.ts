// The documentation says what is true: links lead somewhere, manifests validate, shown sessions run, tables match the code.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { COMMANDS } from '../src/cli/commands/index.ts'
import { CONFIG_SCHEMA } from '../src/config/schema.ts'
import { ERRORS } from '../src/core/errors.ts'
import { FENCES } from '../src/core/outcome.ts'
import { FORMATS } from '../src/formats/index.ts'
import { ROOT, sallyport } from './helpers/processes.ts'
import { makeWorkspace } from './helpers/workspace.ts'

const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: ROOT }).map(name => ({
  name,
  text: readFileSync(join(ROOT, name), 'utf8'),
}))

interface Block {
  readonly page: string
  readonly language: string
  readonly text: string
}

const blocks: readonly Block[] = pages.flatMap(({ name, text }) =>
  [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map(([, language = '', body = '']) => ({
    page: name,
    language,
    text: body,
  })),
)

test('every link leads somewhere', () => {
  const broken = pages.flatMap(({ name, text }) =>
    [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, to = '']) => to)
      .filter(to => !/^https?:/.test(to) && !existsSync(resolve(ROOT, dirname(name), to)))
      .map(to => `${name} → ${to}`),
  )
  assert.deepEqual(broken, [])
})

describe('API documents', () => {
  const documents = blocks.filter(({ language, text }) => language === 'yaml' && text.includes('spec: https://dadl.ai'))
  assert.ok(documents.length > 0)
  for (const [index, { page, text }] of documents.entries())
    test(`${page}, ${index + 1}`, () => {
      assert.deepEqual(FORMATS.dadl.load(text, { root: '/' }).diagnostics, [])
    })
})

describe('manifests', () => {
  const manifests = blocks.filter(({ language, text }) => language === 'toml' && text.includes('[tool]'))
  assert.ok(manifests.length >= 3)
  for (const [index, { page, text }] of manifests.entries())
    test(`${page}, ${index + 1}`, () => {
      assert.deepEqual(FORMATS.toolclad.load(text, { root: '/' }).diagnostics, [])
    })
})

describe('sessions', () => {
  for (const page of new Set(blocks.filter(({ language }) => language === 'console').map(b => b.page)))
    test(page, async () => {
      const own = blocks.filter(block => block.page === page)
      const files = own.flatMap(({ language, text }) => {
        const name = /^# (tools\/\S+)$/m.exec(text)?.[1]
        return language === 'toml' && name !== undefined ? [[name, text]] : []
      })
      const workspace = makeWorkspace({ ...Object.fromEntries(files), 'sallyport.yaml': '', 'notes.txt': 'one\ntwo\n' })
      after(() => workspace.dispose())
      const env = { TOOLCLAD_EVIDENCE_DIR: join(workspace.path, '.evidence') }
      for (const { text } of own.filter(({ language }) => language === 'console'))
        for (const session of text.split(/^\$ sallyport /m).slice(1)) {
          const [command = '', ...expected] = session.trimEnd().split('\n')
          const { stdout, stderr } = await sallyport(command.split(' '), { cwd: workspace.path, env })
          assertShown(stdout, expected, `$ sallyport ${command}\n${stdout}${stderr}`)
        }
    })

  /** Shown lines appear in this order; `…` stands for anything, on a line of its own for any lines. */
  function assertShown(output: string, expected: readonly string[], context: string): void {
    const lines = output.trimEnd().split('\n')
    let next = 0
    for (const line of expected.filter(l => l !== '…')) {
      const pattern = new RegExp(
        `^${line
          .split('…')
          .map(part => RegExp.escape(part))
          .join('.*')}$`,
      )
      const found = lines.findIndex((candidate, index) => index >= next && pattern.test(candidate.trimEnd()))
      assert.notEqual(found, -1, `not shown: ${line}\n${context}`)
      next = found + 1
    }
  }
})

describe('the reference names', () => {
  const page = (name: string): string => pages.find(p => p.name === `docs/reference/${name}`)?.text ?? ''
  const firstCells = (text: string): readonly string[] =>
    [...text.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, cell = '']) => cell)

  test('every command, and no other', () => {
    const named = firstCells(page('cli.md')).map(cell => cell.split(' ')[0] ?? '')
    assert.deepEqual(named.toSorted(byText), COMMANDS.map(({ name }) => name).toSorted(byText))
  })

  test('every fault, and no other', () => {
    const table = page('errors.md').split('## Problems of files')[0] ?? ''
    assert.deepEqual(firstCells(table), Object.keys(ERRORS))
  })

  test('every fence', () => {
    for (const fence of FENCES) assert.match(page('shapes.md'), new RegExp(`\\b${fence}\\b`))
  })

  test('every key of the configuration', () => {
    const named = new Set(firstCells(page('configuration.md')))
    for (const [key, schema] of Object.entries(CONFIG_SCHEMA.shape)) {
      const inner = schema.def.innerType
      const sections =
        'valueType' in inner
          ? Object.keys(inner.valueType.shape).map(sub => `${key}.NAME.${sub}`)
          : 'shape' in inner
            ? Object.keys(inner.shape).map(sub => `${key}.${sub}`)
            : [key]
      for (const name of sections) assert.ok(named.has(name), name)
    }
  })

  function byText(a: string, b: string): number {
    return a < b ? -1 : 1
  }
})
