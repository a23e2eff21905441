// The documentation says what is true: links lead somewhere, manifests validate, shown sessions run, tables match the code.
import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { GLOBAL_FLAGS } from '../src/cli/args.ts'
import { COMMANDS } from '../src/cli/commands/index.ts'
import { CONFIG_SCHEMA } from '../src/config/schema.ts'
import { ERRORS } from '../src/core/errors.ts'
import { FENCES } from '../src/core/outcome.ts'
import type { Format } from '../src/formats/format.ts'
import { FORMATS } from '../src/formats/index.ts'
import { TYPES } from '../src/formats/toolclad/types/index.ts'
import { NODE, ROOT, run, sallyport } from './helpers/processes.ts'
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
  [...text.matchAll(/^ *```(.*)\n([\s\S]*?)^ *```$/gm)].map(([, language = '', body = '']) => ({
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
    test(`${page}, ${index + 1}`, async () => {
      assert.deepEqual((await FORMATS.dadl.load(text, { root: '/' })).diagnostics, [])
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

test('the examples have no problems', async () => {
  const files = globSync('examples/**/*.{clad.toml,dadl}', { cwd: ROOT })
  assert.ok(files.length >= 10)
  const loaded = await Promise.all(
    files.map(async file => {
      const format: Format = file.endsWith('.dadl') ? FORMATS.dadl : FORMATS.toolclad
      return format.load(readFileSync(join(ROOT, file), 'utf8'), { root: ROOT, file })
    }),
  )
  // Where an API is, the example's configuration says.
  const problems = loaded.flatMap(({ diagnostics }) => diagnostics.filter(({ code }) => code !== 'base_url_missing'))
  assert.deepEqual(problems, [])
})

describe('programs', () => {
  const programs = blocks.filter(({ language }) => language === 'js')
  assert.ok(programs.length > 0)
  for (const [index, { page, text }] of programs.entries())
    test(`${page}, ${index + 1}: prints what its comments say`, async () => {
      // The package is found by its own name, as users find it.
      const { stdout, stderr, code } = await run(NODE, ['--input-type=module', '-e', text], { cwd: ROOT })
      assert.equal(code, 0, stderr)
      const said = [...text.matchAll(/^.*console\.log\(.*\/\/ (.*)$/gm)].map(([, words = '']) => words)
      assert.deepEqual(stdout.trimEnd().split('\n'), said)
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
  test('every command with its flags, and no other', async () => {
    const rows = rowsOf(textOf('reference/cli.md'))
    const named = rows.map(([cell = '']) => /^`(\w+)\b[^`]*`$/.exec(cell)?.[1]).filter(name => name !== undefined)
    assertSame(
      named,
      COMMANDS.map(({ name }) => name),
    )
    for (const { name, load } of COMMANDS)
      for (const flag of Object.keys((await load()).flags).filter(own => !Object.hasOwn(GLOBAL_FLAGS, own)))
        assert.ok(
          rows.some(([cell = '']) => cell.startsWith(`\`${name} `) && cell.includes(`--${flag}`)),
          `${name} --${flag}`,
        )
  })

  test('every fault with its exit code, and no other', () => {
    const rows = rowsOf(section('reference/errors.md', 'Faults')).slice(1)
    assert.deepEqual(
      rows.map(([code, exit, retryable]) => ({ code, exit, retryable })),
      Object.entries(ERRORS).map(([code, { exit, retryable }]) => ({
        code: `\`${code}\``,
        exit: String(exit),
        retryable: retryable ? 'yes' : 'no',
      })),
    )
  })

  // Codes of diagnostics are types: what can be compared with is the text of the sources.
  test('every problem of a file, and no other', () => {
    const named = rowsOf(section('reference/errors.md', 'Problems of files')).flatMap(([cell = '']) => codesIn(cell))
    const reported = [
      ...sources('src/formats/toolclad/problems.ts').matchAll(/^ {2}\| '(\w+)'$/gm),
      ...sources('src/{catalog,config}/{load,catalog,load-file}.ts').matchAll(/\b(?:code: |(?:error|warn)\()'(\w+)'/g),
    ].map(([, code = '']) => code)
    assert.ok(reported.length >= 50)
    assert.deepEqual(
      reported.filter(code => !named.includes(code)),
      [],
      'reported, but not named',
    )
    const all = sources('src/**/!(*.test).ts')
    assert.deepEqual(
      named.filter(code => !all.includes(`'${code}'`)),
      [],
      'named, but never reported',
    )
  })

  test('every problem of an API document, and no other', () => {
    const named = rowsOf(section('reference/dadl.md', 'Problems')).flatMap(([cell = '']) => codesIn(cell))
    const codes = sources('src/formats/dadl/problems.ts').matchAll(/^ {2}\| '(\w+)'$/gm)
    assertSame(
      named,
      [...codes].map(([, code = '']) => code),
    )
    const reporting = sources('src/formats/dadl/**/!(*.test|problems).ts') + sources('src/lib/yaml*.ts')
    assert.deepEqual(
      named.filter(code => !reporting.includes(`'${code}'`)),
      [],
    )
  })

  test('every fence, and no other', () => {
    const [, list = ''] = /Fences: `([^`]+)`/.exec(textOf('reference/shapes.md')) ?? []
    assert.deepEqual(list.split(/\s+/), FENCES)
  })

  test('every type, and no other', () => {
    const named = rowsOf(section('reference/toolclad.md', 'Types'))
      .slice(1)
      .flatMap(([cell = '']) => codesIn(cell))
    assertSame(named, [...TYPES.keys()])
  })

  test('every key of the configuration, and no other', () => {
    const [keys = ''] = textOf('reference/configuration.md').split('| variable')
    assertSame(
      rowsOf(keys).flatMap(([cell = '']) => codesIn(cell)),
      Object.entries(CONFIG_SCHEMA.shape).flatMap(([key, { def }]) => {
        const inner = def.innerType
        if ('valueType' in inner) return Object.keys(inner.valueType.shape).map(sub => `${key}.NAME.${sub}`)
        return 'shape' in inner ? Object.keys(inner.shape).map(sub => `${key}.${sub}`) : [key]
      }),
    )
  })

  test('every variable of the environment', () => {
    const read = [...sources('src/config/env.ts').matchAll(/(?:env\[|read\()'([A-Z_]+)'/g)].map(([, name = '']) => name)
    assert.ok(read.length >= 8)
    const named = codesIn(textOf('reference/configuration.md'))
    assert.deepEqual(
      read.filter(name => !named.includes(name)),
      [],
    )
  })

  test('every folder of the sources, and no other', () => {
    const named = rowsOf(textOf('explanation/architecture.md')).flatMap(([cell = '']) => codesIn(cell))
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter(entry => entry.isDirectory())
    assertSame(
      named,
      folders.map(({ name }) => `${name}/`),
    )
  })
})

function textOf(name: string): string {
  const found = pages.find(candidate => candidate.name === `docs/${name}`)
  assert.ok(found !== undefined, name)
  return found.text
}

function sources(pattern: string): string {
  return globSync(pattern, { cwd: ROOT })
    .map(name => readFileSync(join(ROOT, name), 'utf8'))
    .join('\n')
}

/** From a heading to the next one. */
function section(name: string, heading: string): string {
  const found = textOf(name)
    .split(/^## /m)
    .find(part => part.startsWith(`${heading}\n`))
  assert.ok(found !== undefined, `${name} has no section ${heading}`)
  return found
}

/** The cells of every row of every table, without the lines of dashes. */
function rowsOf(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = '']) => row.split(/(?<!\\)\|/).map(cell => cell.trim()))
    .filter(([first = '']) => !/^-+$/.test(first))
}

/** What stands in backticks, alone. */
function codesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\s]+)`/g)].map(([, code = '']) => code)
}

function assertSame(actual: readonly string[], expected: readonly string[]): void {
  assert.deepEqual([...actual].toSorted(byText), [...expected].toSorted(byText))
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}
