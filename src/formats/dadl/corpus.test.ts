import { Ajv2020 } from 'ajv/dist/2020.js'
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { makeGateway } from '../../../test/helpers/gateway.ts'
import { exposedNames } from '../../catalog/names.ts'
import { LOCAL } from '../../core/principal.ts'
import { load } from './load.ts'

const shared = process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../shared')
const folder = join(shared, 'corpus/dadl-registry')
const specification = join(shared, 'spec/dadl-v0.2.md')

describe('the public registry', { skip: existsSync(folder) ? false : `${folder} is not here` }, () => {
  const loaded = globSync('*.dadl', { cwd: folder }).map(file => ({
    file,
    ...load(readFileSync(join(folder, file), 'utf8'), { root: '/', file }),
  }))

  test('every document loads, with warnings at most', () => {
    assert.equal(loaded.length, 29)
    const errors = loaded.flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity === 'error'))
    assert.deepEqual(errors, [])
    assert.equal(
      loaded.reduce((sum, { tools }) => sum + tools.length, 0),
      3815 + 46,
    )
  })

  test('every document is as it should be, but for paths that v0.1 left open', () => {
    const judged = loaded.map(({ file }) => ({
      file,
      ...load(readFileSync(join(folder, file), 'utf8'), { root: '/', file, profile: 'validate' }),
    }))
    const errors = judged.flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity === 'error'))
    assert.deepEqual(errors, [])
    const outside = judged.filter(({ diagnostics }) => diagnostics.some(({ code }) => code === 'jsonpath_dialect'))
    assert.deepEqual(
      outside.map(({ file }) => file).toSorted(),
      'billomat cloudflare elitedomains hetzner-cloud linode netbox victron-vrm'.split(' ').map(name => `${name}.dadl`),
    )
  })

  test('every document says what it is about', () => {
    assert.deepEqual(
      loaded.flatMap(({ file, api }) => (api === undefined || api.description === '' ? [file] : [])),
      [],
    )
    assert.equal(loaded.filter(({ api }) => api?.containsCode).length, 11)
    assert.ok(
      loaded.some(({ tools }) =>
        tools.some(({ hints, description }) => hints !== undefined && description.includes('Hints:')),
      ),
    )
  })

  test('a gateway lists them all', async () => {
    const apis = loaded.map(({ file }) => ({
      name: file.replace('.dadl', ''),
      file: join(folder, file),
      allowPrivate: false,
      credentials: {},
    }))
    const { gateway, dispose } = await makeGateway({}, {}, { apis })
    try {
      assert.equal(gateway.tools(LOCAL).length, 3815 + 46)
    } finally {
      await dispose()
    }
  })

  test('every tool has a name and a schema that clients take', () => {
    const tools = loaded.flatMap(one => one.tools)
    const names = exposedNames(tools.map(({ name, backend = '' }) => ({ backend, tool: name })))
    assert.equal(new Set(names).size, tools.length)
    for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
    const ajv = new Ajv2020({ strict: false })
    for (const { inputSchema, name } of tools) {
      assert.equal(inputSchema['type'], 'object', name)
      assert.ok(ajv.validateSchema(inputSchema), `${name}: ${ajv.errorsText()}`)
    }
  })
})

describe('the specification', { skip: existsSync(specification) ? false : `${specification} is not here` }, () => {
  const text = existsSync(specification) ? readFileSync(specification, 'utf8') : ''
  const documents = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)]
    .map(([, block = '']) => block)
    .filter(block => /^spec:/m.test(block) && /^backend:/m.test(block))

  test('prints documents that are what it says', () => {
    assert.equal(documents.length, 2)
    const errors = documents.flatMap(document => load(document, { root: '/', profile: 'validate' }).diagnostics)
    // The full example requires what is built later; that is no mistake of the document.
    assert.deepEqual(
      errors.map(({ severity, code }) => `${severity} ${code}`),
      ['warning requires_unsatisfied'],
    )
  })

  test('prints a full example that is refused where it would be run without what it requires', () => {
    const { tools, diagnostics } = load(documents[1] ?? '', { root: '/' })
    assert.deepEqual([tools.length, diagnostics.map(({ code }) => code)], [0, ['requires_unsatisfied']])
  })
})
