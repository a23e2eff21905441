import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScrubber } from './scrub.ts'

const SECRET = 'a key/with "all" (of) it 🚪'

const scrubbed = (text: string): string => Buffer.from(openScrubber([SECRET]).bytes(Buffer.from(text))).toString()

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
    'in JSON in JSON': JSON.stringify(JSON.stringify(SECRET).slice(1, -1)).slice(1, -1),
    'in HTML': SECRET.replaceAll('"', '&quot;'),
    'in base64': base64,
    'in base64 for URLs': Buffer.from(SECRET).toString('base64url'),
  }
  for (const [name, spelling] of Object.entries(spellings))
    test(`loses a secret ${name}`, () => assert.equal(scrubbed(`<${spelling}>`), '<[secret]>'))

  test('loses a secret inside longer base64, wherever it stands there', () => {
    for (const user of ['', 'u:', 'us:', 'use:'])
      for (const rest of ['', '!', '!!']) {
        const long = Buffer.from(user + SECRET + rest).toString('base64')
        const shown = scrubbed(long)
        assert.ok(shown.includes('[secret]') && shown.length <= '[secret]'.length + 12, `${long} became ${shown}`)
      }
  })

  test('loses a secret that came back in Latin-1, as headers are sent, and keeps every other byte', () => {
    const body = Buffer.from('\u00ff\u0080 geheimnis\u00e4\u00f6 \u00fe', 'latin1')
    const clean = openScrubber(['geheimnis\u00e4\u00f6']).bytes(body)
    assert.deepEqual(Buffer.from(clean).toString('latin1'), '\u00ff\u0080 [secret] \u00fe')
  })

  test('that was cut ends with no beginning of a secret', () => {
    const { bytes } = openScrubber(['sk-very-secret'])
    const cut = (text: string): string => Buffer.from(bytes(Buffer.from(text), { cut: true })).toString()
    assert.equal(cut('key: sk-very-sec'), 'key: [secret]')
    assert.equal(cut('key: sk-v'), 'key: [secret]')
    assert.equal(cut('key: sk'), 'key: sk')
    assert.equal(cut('key: sk-other'), 'key: sk-other')
    assert.equal(cut(String.raw`key: \u0073\u006b-v\u00`), 'key: [secret]')
    assert.equal(cut('key: c2stdmVy'), 'key: [secret]')
    assert.equal(Buffer.from(bytes(Buffer.from('key: sk-very-sec'))).toString(), 'key: sk-very-sec')
  })

  test('without the secret is the very same', () => {
    const body = Buffer.from(String.raw`{"a": "\u0041\\u0042"}`)
    assert.equal(openScrubber([SECRET]).bytes(body), body)
    assert.equal(openScrubber(['1234567']).text('1234567'), '1234567')
  })
})
