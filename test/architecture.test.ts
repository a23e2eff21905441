// The structure of the source, as tables: who may import whom, which package and which power has which one place.
// `docs/explanation/architecture.md` says why.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** Contract files: any family member and the layers above may import them, as types where `types:` is written. */
const CONTRACTS = [
  'backends/backend',
  'formats/format',
  'policy/engine',
  'policy/gate',
  'storage/store',
  'credentials/store',
  'catalog/entry',
  'identity/authenticator',
]
const TABLES = ['backends/index', 'formats/index', 'storage/index', 'credentials/index']

/** The first row whose prefix matches a file decides. `types:X` allows X in `import type` only. */
const MAY_IMPORT: readonly (readonly [string, readonly string[]])[] = [
  ['core/', ['core/']],
  ['lib/', ['core/', 'lib/']],
  ['io/', ['core/', 'lib/', 'io/', 'types:storage/store']],
  ['formats/index', ['formats/']],
  ['formats/', ['core/', 'lib/', 'formats/', 'types:backends/']],
  ['backends/index', ['backends/']],
  ['backends/', ['core/', 'lib/', 'io/', 'backends/', ...types(CONTRACTS)]],
  ['storage/index', ['storage/']],
  ['storage/', ['core/', 'lib/', 'io/', 'storage/']],
  ['audit/', ['core/', 'lib/', 'io/', 'audit/', 'types:storage/']],
  ['credentials/index', ['credentials/']],
  ['credentials/', ['core/', 'lib/', 'io/', 'credentials/', ...types(CONTRACTS)]],
  ['identity/', ['core/', 'lib/', 'io/', 'identity/', ...types(CONTRACTS)]],
  ['policy/', ['core/', 'lib/', 'io/', 'policy/', ...types(CONTRACTS)]],
  ['catalog/', ['core/', 'lib/', 'catalog/', ...types(CONTRACTS)]],
  ['pipeline/run-call', ['types:core/', 'pipeline/stage']],
  ['pipeline/', ['core/', 'lib/', 'pipeline/', 'types:audit/', ...types(CONTRACTS)]],
  ['server/', ['core/', 'lib/', 'catalog/', 'server/', 'types:gateway', ...types(CONTRACTS)]],
  ['config/', ['core/', 'lib/', 'config/', ...TABLES, ...types(CONTRACTS)]],
  // What it says of a format is one table; all of the formats would cost a start.
  ['cli/commands/version', ['cli/', 'formats/dadl/features']],
  [
    'cli/',
    [
      'core/',
      'lib/',
      'io/',
      'cli/',
      'config/',
      'server/',
      'catalog/',
      'identity/',
      'pipeline/shapes',
      'gateway',
      ...TABLES,
    ],
  ],
  ['gateway', ['']],
  // The library without the gateway: no server, no store, no audit.
  [
    'toolclad',
    [
      'core/',
      'lib/',
      'io/',
      'formats/',
      'backends/',
      'pipeline/',
      'policy/',
      'credentials/',
      'catalog/',
      'config/env',
      'toolclad',
    ],
  ],
  ['index', ['']],
]

/** An npm package or a power → the places that may use it. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  '@hono/node-server': ['server/web'],
  '@modelcontextprotocol/server': ['server/'],
  '@modelcontextprotocol/server/stdio': ['server/mcp/stdio'],
  '@sveltejs/acorn-typescript': ['lib/javascript'],
  acorn: ['lib/javascript', 'formats/dadl/composite-'],
  hono: ['server/web'],
  re2js: ['lib/regex'],
  'js-yaml': ['lib/yaml'],
  'smol-toml': ['lib/toml'],
  'csv-parse/sync': ['formats/toolclad/parsers/read-csv'],
  saxes: ['formats/toolclad/parsers/read-xml'],
  'toml-eslint-parser': ['lib/toml'],
  undici: ['io/egress/'],
  zod: ['config/', 'backends/', 'formats/dadl/'],
  'node:dns/promises': ['io/egress/'],
  'node:zlib': ['io/egress/'],
  'node:stream/promises': ['io/egress/'],
  'node:child_process': ['io/spawn', 'io/reaper'],
  'node:fs': ['io/', 'storage/'],
  'node:fs/promises': ['io/', 'storage/'],
  'node:sqlite': ['storage/sqlite/'],
  'node:crypto': ['lib/', 'io/', 'catalog/', 'identity/'],
  'node:net': ['io/egress/'],
  'node:os': ['io/', 'config/', 'toolclad-runtime'],
  'node:module': ['cli/main', 'lib/javascript'],
  'node:path': ['identity/', 'io/', 'catalog/', 'config/', 'cli/', 'backends/', 'storage/', 'gateway', 'toolclad'],
  'node:stream': ['io/', 'server/'],
  'node:util': ['cli/', 'io/'],
}

/** Words that reach a power without an import. */
const POWERS: readonly { readonly what: string; readonly pattern: RegExp; readonly places: readonly string[] }[] = [
  { what: 'the environment', pattern: /\bprocess\s*\.\s*env\b|\bprocess\[/, places: ['config/env'] },
  { what: 'the clock', pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/, places: ['io/system'] },
  {
    what: 'timers',
    pattern: /\bset(Timeout|Interval|Immediate)\(/,
    places: ['io/', 'server/', 'cli/', 'audit/', 'backends/'],
  },
  { what: 'randomness', pattern: /\bMath\.random\(|\brandom(UUID|Bytes|Int|FillSync|Fill)\b/, places: ['io/system'] },
  { what: 'evaluation', pattern: /\beval\(|\bnew Function\b|['"]node:vm['"]/, places: [] },
  { what: 'sockets', pattern: /\bfetch\(|\bnew WebSocket\b|\bnet\.connect\(/, places: ['server/'] },
  {
    what: 'a revealed secret',
    pattern: /\.reveal\(/,
    places: ['backends/', 'identity/', 'server/oauth/', 'cli/commands/serve'],
  },
  { what: 'a disabled rule', pattern: /(oxlint|eslint)-disable|@ts-(ignore|nocheck|expect-error)/, places: [] },
  { what: 'a TypeScript path in a string', pattern: /new URL\(\s*['"`][^'"`]*\.ts['"`]/, places: [] },
]

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const files = globSync('src/**/*.ts', { cwd: root })
  .filter(file => !file.endsWith('.test.ts'))
  .map(file => ({ name: relative('src', file), text: readFileSync(join(root, file), 'utf8') }))
const code = files.map(({ name, text }) => ({ name, text: withoutComments(text) }))
const imports = code.flatMap(({ name, text }) => importsOf(name, text))

test('there is a source to check', () => {
  assert.ok(files.length > 20)
  assert.ok(imports.length > 50)
})

test('folders import only what their row allows', () => {
  const offenders = imports.filter(({ from, to, typeOnly }) => {
    if (!to.startsWith('src:')) return false
    const file = to.slice('src:'.length)
    const row = MAY_IMPORT.find(([prefix]) => from.startsWith(prefix))
    return !(row?.[1] ?? []).some(allowed =>
      allowed.startsWith('types:') ? typeOnly && file.startsWith(allowed.slice(6)) : file.startsWith(allowed),
    )
  })
  assert.deepEqual(offenders.map(show), [])
})

test('a family member does not reach into its siblings', () => {
  const offenders = imports.filter(({ from, to }) => {
    const [family, member, ...rest] = from.split('/')
    const [toFamily, toMember, ...toRest] = to.slice('src:'.length).split('/')
    const families = ['backends', 'formats', 'storage', 'credentials']
    return (
      families.includes(family ?? '') &&
      family === toFamily &&
      rest.length > 0 &&
      toRest.length > 0 &&
      member !== toMember
    )
  })
  assert.deepEqual(offenders.map(show), [])
})

test('every package and every Node module has its places', () => {
  const offenders = imports.filter(({ from, to, typeOnly }) => {
    if (to.startsWith('src:') || (typeOnly && to.startsWith('node:'))) return false
    return !(PLACES[to] ?? []).some(place => from.startsWith(place))
  })
  assert.deepEqual(offenders.map(show), [])
})

test('no place is listed that nobody needs', () => {
  const stale = Object.entries(PLACES).flatMap(([name, places]) =>
    places
      .filter(place => !imports.some(({ from, to }) => to === name && from.startsWith(place)))
      .map(place => `${place} → ${name}`),
  )
  assert.deepEqual(stale, [])
})

test('every power has its places', () => {
  const offenders = code.flatMap(({ name, text }) =>
    POWERS.filter(({ pattern, places }) => pattern.test(text) && !places.some(place => name.startsWith(place))).map(
      ({ what }) => `${name} uses ${what}`,
    ),
  )
  const disabled = files
    .filter(({ text }) => /(oxlint|eslint)-disable|@ts-(ignore|nocheck)/.test(text))
    .map(f => f.name)
  assert.deepEqual([...offenders, ...disabled], [])
})

test('nothing imports itself in a circle', () => {
  const edges = Map.groupBy(
    imports.filter(({ to, typeOnly }) => to.startsWith('src:') && !typeOnly),
    ({ from }) => from,
  )
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const { to } of edges.get(file) ?? []) visit(to.slice('src:'.length), [...path, file])
    done.add(file)
  }
  for (const file of edges.keys()) visit(file, [])
  assert.deepEqual(circles, [])
})

test('no test file has a hook outside a describe: the root it would belong to is every file’s', () => {
  const loose = globSync('{src,test,scripts}/**/*.test.ts', { cwd: root }).filter(file =>
    /^(before|after)(Each)?\(/m.test(readFileSync(join(root, file), 'utf8')),
  )
  assert.deepEqual(loose, [])
})

test('no file is longer than 500 lines, none exports a default or everything, none imports its own package', () => {
  const long = files.filter(({ text }) => text.split('\n').length > 501).map(({ name }) => name)
  const loose = code.filter(({ text }) => /^export (default|\*)/m.test(text)).map(({ name }) => name)
  const self = imports.filter(({ to }) => to === 'sallyport' || to.startsWith('sallyport/')).map(show)
  assert.deepEqual([...long, ...loose, ...self], [])
})

function importsOf(name: string, text: string): readonly Import[] {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)
  const dynamic = text.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)
  return [
    ...[...statements].map(([, type, to = '']) => ({
      from: strip(name),
      to: target(name, to),
      typeOnly: type !== undefined,
    })),
    ...[...dynamic].map(([, to = '']) => ({ from: strip(name), to: target(name, to), typeOnly: false })),
  ]
}

function target(from: string, to: string): string {
  return to.startsWith('.') ? `src:${strip(normalize(join(dirname(from), to)))}` : to
}

function strip(file: string): string {
  return file.replace(/\.ts$/, '')
}

function show({ from, to }: Import): string {
  return `${from} → ${to.replace('src:', '')}`
}

function types(list: readonly string[]): readonly string[] {
  return list.map(item => `types:${item}`)
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
}
