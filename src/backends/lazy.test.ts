import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Tool } from '../core/tool.ts'
import type { Backend, Prepared } from './backend.ts'
import { lazyBackend } from './lazy.ts'

const PREPARED: Prepared = {
  callable: { resolve: async () => ({ status: 'denied', code: 'test', reason: 'test' }) },
  diagnostics: [],
}

const TOOL: Tool = {
  name: 'test',
  format: 'test',
  description: '',
  needsApproval: false,
  timeoutMs: 1000,
  parameters: [],
  inputSchema: {},
  binding: { kind: 'test', data: {} },
  definition: {},
  validate: () => ({ ok: true, values: {} }),
  interpret: () => ({ ok: true, result: { value: null } }),
  locate: () => ({ line: 1, column: 1 }),
}

describe('a lazy backend', () => {
  function open() {
    const seen = { loads: 0, closes: 0 }
    const load = async (): Promise<Backend> => {
      seen.loads++
      return {
        kind: 'test',
        prepare: async () => PREPARED,
        close: async () => {
          seen.closes++
        },
      }
    }
    return { seen, backend: lazyBackend('test', load) }
  }

  it('is loaded once, with the first tool, and closes what it loaded', async () => {
    const { seen, backend } = open()
    assert.deepEqual(seen, { loads: 0, closes: 0 })
    const prepared = await Promise.all([backend.prepare(TOOL), backend.prepare(TOOL)])
    assert.deepEqual(prepared, [PREPARED, PREPARED])
    await backend.close()
    assert.deepEqual(seen, { loads: 1, closes: 1 })
  })

  it('is never loaded only to be closed', async () => {
    const { seen, backend } = open()
    await backend.close()
    assert.deepEqual(seen, { loads: 0, closes: 0 })
  })
})
