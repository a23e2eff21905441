import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLI, NODE, run } from '../helpers/processes.ts'

/** A Node that says it is version 20, and whose `node:module` has no more than that one's. */
const OLDER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:module' ? { url: 'data:text/javascript,export {}', shortCircuit: true } : next(specifier, context),
  })
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })
`)}`

test('an older Node is told so, in one sentence', async () => {
  const { code, stderr, stdout } = await run(NODE, ['--import', OLDER, CLI, 'version'])
  assert.match(stderr, /^Sallyport needs Node 24 or newer: found v\S+\. [^\n]*\n$/)
  assert.equal(stdout, '')
  assert.equal(code, 1)
})
