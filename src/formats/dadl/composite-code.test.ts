import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import * as z from 'zod'
import { parseYaml } from '../../lib/yaml.ts'
import { scanComposite, usedTools } from './composite-code.ts'

const known = {
  tools: new Set(['list_items', 'get_item', 'save_item', 'list-x', 'health']),
  composites: new Set(['get_report', 'all_items']),
}

/** `code line:column`, a warning with a `?`. */
function found(code: string): readonly string[] {
  return scanComposite(code, known).map(
    ({ code: name, line, column, severity }) =>
      `${name.replace('composite_', '')}${severity === 'warning' ? '?' : ''} ${line}:${column}`,
  )
}

const PASSES = [
  `const items = await api.list_items({ limit: params.limit ?? 10 })
   const found = await Promise.all(items.map(({ id }) => api.get_item({ id })))
   console.log(JSON.stringify(found))
   return found.filter(item => item !== null)`,
  'return api["list-x"]()',
  'return api[`list_items`]()',
  'return api["list_" + "items"]()',
  'const tool = params.one ? "get_item" : "list_items"; return await api[tool]({})',
  'return params.ids.map(api.get_item)',
  'return await api.list_items.page({ limit: 1 })',
  'return await api?.list_items?.({})',
  'const { list_items, get_item: get = null, ["list-x"]: x } = api; return [await list_items(), await get({}), x]',
  'const backend = api; return backend.list_items()',
  'let backend; backend = api; return backend.list_items()',
  'const backend = params.quick ? api : (api); return (await backend).get_item()',
  'async function all(source, ids) { return ids.map(id => source.get_item({ id })) } return all(api, params.ids)',
  'const get = ({ get_item }, id = 1) => get_item({ id }); return get(api)',
  'return await (async ({ list_items }) => list_items())(api)',
  'if (api && typeof api !== "undefined" && "list_items" in api) return api.list_items()',
  'const ids: number[] = await api.list_items() as number[]; return ids satisfies unknown',
  'type Item = { id: number }\ninterface All { items: Item[] }\nreturn (await api.get_item({ id: 1 }))!',
  // Names that are declared are nobody else's.
  'const fetch = id => api.get_item({ id }); return fetch(1)',
  'return (function (process, require) { return process + require })(1, 2)',
  'for (const window of params.windows) { if (window.open) break }',
  'try { await api.list_items() } catch (process) { return process.message }',
  'return run(); function run() { var global = 1; return global }',
  'class Function { static eval() { return this.module } } return Function.eval()',
  'switch (params.a) { case 1: { let self = 2; return self } }',
  '{ const api = [1]; return api[params.index] }',
  'const pick = (api, key) => api[key]; return pick({ a: 1 }, params.key)',
  'return params.items.map(api => api[params.key])',
  'const { eval: value, process } = params; return [value, process]',
  'return { fetch: 1, process: 2, constructor: 3 }.fetch + params.eval + params.globalThis',
  'window: for (;;) break window',
  'if (typeof process !== "undefined") return typeof (fetch)',
  'return params.f instanceof Function',
  // Everything JavaScript has.
  'return [new Map(), new Set([NaN]), Math.max(1, Infinity), Date.now(), parseInt("1"), new Error("x"), /a/u, 1n, undefined]',
  'return params.error.constructor.name === "TypeError" || params.value.constructor === Object',
  'function Point(x) { this.x = x } return new Point(1)',
  'const counts = {}; for (const { key } of params.rows) counts[key] = (counts[key] || 0) + 1; return counts',
  'return await api.health()',
  'function* numbers() { yield 1 } for await (const n of numbers()) return n',
] as const

test('ordinary code yields nothing', () => {
  for (const code of PASSES) assert.deepEqual(scanComposite(code, known), [], code)
})

const REFUSED: readonly (readonly [string, readonly string[]])[] = [
  // Tools and composites
  ['return api.list_item()', ['unknown_tool 1:12']],
  ['return 1 +\n  await api.toString()', ['unknown_tool 2:13']],
  ['const { list_item: a } = api', ['unknown_tool 1:9']],
  ['return api["get" + "_x"]()', ['unknown_tool 1:12']],
  ['return api[params.x ? "get_item" : "x"]()', ['unknown_tool 1:12']],
  ['return api.get_report()', ['calls_composite 1:12']],
  ['const b = api\nreturn b.all_items()', ['calls_composite 2:10']],
  // Dynamic access
  ['return api[params.tool]()', ['dynamic 1:12']],
  ['let t = "get_item"; t = params.t; return api[t]()', ['dynamic 1:46']],
  ['for (const t of ["get_item"]) await api[t]()', ['dynamic 1:41']],
  ['const a = api; return a[params.tool]()', ['dynamic 1:25']],
  ['let a = api; if (params.x) a = {}; return a.get_item()', ['dynamic 1:5']],
  ['const { [params.tool]: a } = api', ['dynamic 1:10']],
  ['const { get_item, ...others } = api', ['dynamic 1:19']],
  ['const [a] = api', ['dynamic 1:7']],
  ['return Object.values(api)', ['dynamic 1:22']],
  ['return api', ['dynamic 1:8']],
  ['const give = () => api; return give()[params.tool]()', ['dynamic 1:20']],
  ['const box = { api }; return box.api[params.tool]()', ['dynamic 1:15']],
  ['return { ...api }', ['dynamic 1:13']],
  ['params.api = api', ['dynamic 1:1']],
  ['for (const name in api) console.log(name)', ['dynamic 1:20']],
  ['throw api', ['dynamic 1:7']],
  ['return api`x`', ['dynamic 1:8']],
  ['return api()', ['dynamic 1:8']],
  ['return Reflect.get(api, params.tool)', ['dynamic 1:20']],
  ['return new Proxy(api, {})', ['dynamic 1:18']],
  ['const f = (a, k) => a[k]; return f(api, params.k)', ['dynamic 1:23']],
  ['const f = (...all) => all[0][params.k]; return f(api)', ['dynamic 1:12']],
  ['function f() { return arguments[0][params.k] } return f(api)', ['dynamic 1:57']],
  ['function f(a) { a = a || {}; return a.get_item } return f(api)', ['dynamic 1:12']],
  ['const f = a => a; return f(...[], api)', ['dynamic 1:35']],
  ['let f = a => a.get_item; f = params.f; return f(api)', ['dynamic 1:49']],
  ['return ((a = api) => a[params.k])()', ['dynamic 1:24']],
  ['return arguments[0][params.tool]()', ['dynamic 1:8']],
  ['return (() => arguments[0])()', ['dynamic 1:15']],
  ['api = params', ['dynamic 1:1']],
  ['api.get_item = params.f', ['dynamic 1:1']],
  ['delete api.get_item', ['dynamic 1:8']],
  ['[api.get_item] = [1]', ['dynamic 1:2']],
  ['for (api.get_item of []) ;', ['dynamic 1:6']],
  // `var` of a parameter's name is that parameter still.
  ['var api; return api[params.tool]()', ['dynamic 1:21']],
  ['function api() {}', ['dynamic 1:10']],
  ['const api = {}', ['syntax 1:7']],
  // Names that reach further
  ['return await fetch("https://x")', ['forbidden 1:14']],
  ['const f = fetch; const { log = eval } = console', ['forbidden 1:11', 'forbidden 1:32']],
  ['return f\\u0065tch()', ['forbidden 1:8']],
  ['new XMLHttpRequest(); new WebSocket("x")', ['forbidden 1:5', 'forbidden 1:27']],
  ['require("fs"); module.exports; process.env', ['forbidden 1:1', 'forbidden 1:16', 'forbidden 1:32']],
  ['fs.readFileSync; child_process; os', ['forbidden 1:1', 'forbidden 1:18', 'forbidden 1:33']],
  ['return new Function("return 1")()', ['forbidden 1:12']],
  ['(0, eval)("1")', ['forbidden 1:5']],
  ['globalThis.x = 1', ['forbidden 1:1', 'forbidden 1:1']],
  ['const { process } = globalThis', ['forbidden 1:21']],
  ['await new Promise(done => setTimeout(done, 1))', ['forbidden 1:27']],
  ['if (params.a) { const fetch = 1 }\nreturn fetch', ['forbidden 2:8']],
  // The default of a parameter does not see what the body declares.
  ['return (function (a = fetch) { var fetch; return a })()', ['forbidden 1:23']],
  ['switch (fetch) { case 1: let fetch }', ['forbidden 1:9']],
  ['(function process() {})(process)', ['forbidden 1:25']],
  ['return await import("fs")', ['forbidden 1:14']],
  ['import fs from "fs"', ['forbidden 1:1']],
  ['export const a = 1', ['forbidden 1:1']],
  ['with (params) { x }', ['forbidden 1:1', 'forbidden? 1:17']],
  ['return this.fetch', ['forbidden 1:8']],
  ['return (() => this)()', ['forbidden 1:15']],
  ['(() => {}).constructor("return 1")()', ['forbidden 1:12']],
  ['return params.constructor.constructor("x")', ['forbidden 1:15', 'forbidden 1:27']],
  ['return [].map["constr" + "uctor"]', ['forbidden 1:15']],
  ['const { constructor: F } = () => {}', ['forbidden 1:9']],
  ['const F = Object.getPrototypeOf(async () => {}).constructor', ['forbidden 1:49']],
  ['for (i = 0; i < 1; i++) ;', ['forbidden 1:6', 'forbidden 1:20']],
  ['Array.prototype.map = null', ['forbidden 1:1']],
  ['delete Object.prototype.x; JSON.parse++', ['forbidden 1:8', 'forbidden 1:28']],
  ['console.log = params.f', ['forbidden 1:1']],
  ['return parms.limit', ['forbidden? 1:8']],
  ['return structuredClone(params)', ['forbidden? 1:8']],
]

test('what a composite may not do is found where it stands', () => {
  for (const [code, problems] of REFUSED) assert.deepEqual(found(code), problems, code)
})

test('all problems are told at once, in the order of the text, with the nearest name', () => {
  const problems = scanComposite('await fetch(1)\nawait api.list_itms()\nreturn api[params.x]', known)
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['composite_forbidden', 'composite_unknown_tool', 'composite_dynamic'],
  )
  assert.match(problems[1]?.message ?? '', /"list_itms" is no tool of this document \(did you mean "list_items"\?\)/)
  assert.match(scanComposite('return parms', known)[0]?.message ?? '', /did you mean "params"/)
})

test('a syntax error is told alone, at its exact place', () => {
  assert.deepEqual(scanComposite('await fetch(1)\nreturn ]', known), [
    { code: 'composite_syntax', severity: 'error', message: 'Unexpected token', line: 2, column: 8 },
  ])
  assert.deepEqual(found('enum A { B }\nnamespace C { const d = 1 }'), ['syntax 1:1', 'syntax 2:1'])
})

// These reach further than a composite may and are seen only when they run: the sandbox holds none of what they ask for.
const LEFT_TO_THE_SANDBOX = [
  'function f() { return this } return f().fetch',
  'const key = params.key; return (() => {})[key]("return fetch")()',
  'return Reflect.get(() => {}, "constructor")("return fetch")()',
  'return Object.getOwnPropertyDescriptor(Object.getPrototypeOf(() => {}), "constructor").value("x")',
  'return Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(() => {})))[0][1].value("x")',
  'Object.assign(Array.prototype, { map: null })',
  'params.__proto__.polluted = 1',
  'const list = Array.prototype; list.map = null',
  'return (async () => {}).__proto__["con" + params.rest]',
  'const get = api.get_item; return get.call.apply(params.f, [])',
  'for (;;) ;',
]

test('what only running can tell is left to the sandbox', () => {
  for (const code of LEFT_TO_THE_SANDBOX) assert.deepEqual(found(code), [], code)
})

test('the tools a composite calls, by whatever way, each once', () => {
  assert.deepEqual(
    usedTools('const { get_item: get } = api; const a = api; await a.x(); await api.x(); return api["y" + "z"]'),
    ['get_item', 'x', 'yz'],
  )
  assert.deepEqual(usedTools('const api = 1; return params.api.x'), [])
  assert.deepEqual(usedTools('return api.'), [])
})

test('constants that are made of constants cost no more than they are long', () => {
  const names = Array.from({ length: 400 }, (_, i) => `a${i}`)
  const doubled = names.map((name, i) => `const ${name} = ${i === 0 ? '""' : `a${i - 1} + a${i - 1}`}`).join('\n')
  const uses = names.map(name => `api[${name}]`).join(';')
  assert.ok(scanComposite(`${doubled}\n${uses}`, known).length > 0)
  assert.deepEqual(found('const a = b, b = a; return api[a]'), ['dynamic 1:32'])
})

test('no more is told than somebody can read', () => {
  const problems = scanComposite('api.list_itms();\n'.repeat(1000), known)
  assert.equal(problems.length, 100)
  assert.equal(problems.filter(({ message }) => message.includes('did you mean')).length, 5)
  // Warnings cannot push an error out.
  assert.ok(found(`${'unknown_name;'.repeat(500)}fetch()`).includes('forbidden 1:6501'))
  assert.equal(found(`f(${'api, '.repeat(8000)}1); function f() {}`).length, 100)
})

describe('properties', () => {
  const tool = fc.constantFrom('list_items', 'get_item', 'save_item')
  const expression = fc.letrec<{ value: string }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('params.id', '1', '"x"', 'null', '[]', '/a/', 'NaN'),
      tool.map(name => `await api.${name}({})`),
      fc.tuple(tool, tie('value')).map(([name, value]) => `(await api["${name}"](${value}))`),
      tie('value')
        .map(value => `{ api: ${value} }.api`)
        .map(value => `(${value})`),
      fc.tuple(tie('value'), tie('value')).map(([a, b]) => `(${a} ?? ${b})`),
      tie('value').map(value => `await (async fetch => fetch)(${value})`),
      tie('value').map(value => `((api, key) => api[key])(params, ${value.replaceAll('await ', '')})`),
    ),
  })).value

  test('a body that only calls known tools passes', () => {
    const body = fc.array(
      fc.oneof(
        expression.map(e => `(${e});`),
        expression.map(e => `if (${e}) { const process = ${e} }`),
      ),
    )
    fc.assert(fc.property(body, lines => assert.deepEqual(scanComposite(lines.join('\n'), known), [])))
  })

  test('one call too many is found in whatever body, at its place', () => {
    fc.assert(
      fc.property(fc.array(expression), expression, (before, after) => {
        const lines = [...before.map(e => `(${e});`), 'api.get_report(fetch);', `(${after});`]
        assert.deepEqual(found(lines.join('\n')), [
          `calls_composite ${before.length + 1}:5`,
          `forbidden ${before.length + 1}:16`,
        ])
      }),
    )
  })

  test('no text throws, and every problem lies within it', () => {
    const words =
      'api params . [ ] ( ) { } , ; = => ... const var function class this async await for of in with import eval'
    const others = [
      'x',
      'fetch',
      '"list_items"',
      '`${',
      '}`',
      ': any',
      '\n',
      'constructor',
      'arguments',
      'delete ',
      'return',
    ]
    const word = fc.constantFrom(...words.split(' '), ...others)
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(word, { maxLength: 40 }).map(list => list.join(' ')),
          fc.string(),
        ),
        code => {
          const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
          for (const { line, column } of scanComposite(code, known)) {
            assert.ok(line >= 1 && line <= lines.length, `${code} ${line}`)
            assert.ok(column >= 1 && column <= (lines[line - 1]?.length ?? 0) + 1, `${code} ${column}`)
          }
        },
      ),
      { numRuns: 1000 },
    )
  })
})

const folder = join(
  process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../shared'),
  'corpus/dadl-registry',
)
const REGISTRY_FILE = z.object({
  backend: z.object({
    tools: z.record(z.string(), z.unknown()),
    composites: z.record(z.string(), z.object({ code: z.string() })).default({}),
  }),
})

test('the composites of the public registry', { skip: existsSync(folder) ? false : `${folder} is not here` }, () => {
  const composites = globSync('*.dadl', { cwd: folder }).flatMap(file => {
    const { backend } = REGISTRY_FILE.parse(parseYaml(readFileSync(join(folder, file), 'utf8')).value)
    const names = { tools: new Set(Object.keys(backend.tools)), composites: new Set(Object.keys(backend.composites)) }
    return Object.entries(backend.composites).map(([name, { code }]) => ({ name: `${file} ${name}`, code, names }))
  })
  assert.equal(composites.length, 46)
  for (const { name, code, names } of composites) {
    assert.deepEqual(scanComposite(code, names), [], name)
    assert.ok(usedTools(code).length > 0, name)
  }
})
