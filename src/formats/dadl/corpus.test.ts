import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { makeGateway } from '../../../test/helpers/gateway.ts'
import { exposedNames } from '../../catalog/names.ts'
import { LOCAL } from '../../core/principal.ts'
import { load } from './load.ts'

const folder = join(
  process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../shared'),
  'corpus/dadl-registry',
)

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
      3815,
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
      assert.equal(gateway.tools(LOCAL).length, 3815)
    } finally {
      await dispose()
    }
  })

  test('every tool has a name and a schema that clients take', () => {
    const tools = loaded.flatMap(one => one.tools)
    const names = exposedNames(tools.map(({ name, backend = '' }) => ({ backend, tool: name })))
    assert.equal(new Set(names).size, tools.length)
    for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
    for (const { inputSchema, name } of tools) assert.equal(inputSchema['type'], 'object', name)
  })
})
