import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bindingReader } from './binding.ts'

describe('a binding reader', () => {
  const reader = bindingReader<{ readonly argv: readonly string[]; readonly root: string }>('test', ['argv', 'root'])

  it('hands on what has the keys of its kind', () => {
    const data = { argv: ['true'], root: '/', more: 1 }
    assert.equal(reader.parse(data), data)
  })

  it('refuses what was made for another backend, and names what is missing', () => {
    const expected = { name: 'GatewayError', code: 'internal', message: /a test binding without argv, root$/ }
    assert.throws(() => reader.parse({ server: 'x', tool: 'y' }), expected)
    assert.throws(() => reader.parse({ argv: [] }), { code: 'internal', message: /without root$/ })
  })
})
