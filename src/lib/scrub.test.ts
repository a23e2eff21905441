import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scrub } from './scrub.ts'

const SECRET = 'a key/with "all" (of) it 🚪'

describe('an answer', () => {
  const base64 = Buffer.from(SECRET).toString('base64')
  const percent = encodeURIComponent(SECRET)
  const spellings: Readonly<Record<string, string>> = {
    raw: SECRET,
    'in JSON': JSON.stringify(SECRET).slice(1, -1),
    'in JSON with escaped slashes': JSON.stringify(SECRET)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
    'in JSON in ASCII': JSON.stringify(SECRET)
      .slice(1, -1)
      .replace('🚪', String.raw`\ud83d\uDEAA`),
    'in JSON with escapes nobody needs': String.raw`\u0061` + JSON.stringify(SECRET.slice(1)).slice(1, -1),
    'percent-encoded': percent,
    'percent-encoded, all of it': percent.replaceAll('(', '%28').replaceAll(')', '%29'),
    'percent-encoded in lower case': percent.replaceAll(/%../g, found => found.toLowerCase()),
    'as a form': percent.replaceAll('%20', '+'),
    'in base64': base64,
    'in base64 for URLs': Buffer.from(SECRET).toString('base64url'),
  }
  for (const [name, spelling] of Object.entries(spellings))
    test(`loses a secret ${name}`, () =>
      assert.equal(Buffer.from(scrub(Buffer.from(`<${spelling}>`), [SECRET])).toString(), '<[secret]>'))

  test('without the secret is the very same', () => {
    const body = Buffer.from(String.raw`{"a": "\u0041\\u0042"}`)
    assert.equal(scrub(body, [SECRET]), body)
    assert.equal(scrub(Buffer.from('1234567'), ['1234567']).length, 7)
  })
})
