import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EgressError } from './error.ts'
import { checkedUrl, redirectUrl } from './url.ts'

function refusal(run: () => URL): string {
  try {
    return run().href
  } catch (error) {
    assert.ok(error instanceof EgressError)
    assert.doesNotMatch(error.message, /secret/, 'a message holds no part of a URL')
    return error.code
  }
}

describe('the URL of a request', () => {
  for (const [text, want] of [
    ['https://api.example.com/a%20b?x=1', 'https://api.example.com/a%20b?x=1'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['https://my_bucket.example.com./', 'https://my_bucket.example.com./'],
    ['https://user:secret@example.com/', 'bad_url'],
    ['https://example.com\\@127.0.0.1/?secret', 'bad_url'],
    ['https://example.com/a b?secret', 'bad_url'],
    ['https://example.com/\u0000secret', 'bad_url'],
    ['https://*.example.com/secret', 'bad_url'],
    ['https://exa..mple.com/secret', 'bad_url'],
    ['ftp://example.com/secret', 'bad_url'],
    ['/relative/secret', 'bad_url'],
  ] as const)
    test(JSON.stringify(text), () =>
      assert.equal(
        refusal(() => checkedUrl(text)),
        want,
      ),
    )
})

describe('the URL a redirect leads to', () => {
  for (const [location, want] of [
    ['/there', 'https://api.example.com/there'],
    ['//other.example.com', 'https://other.example.com/'],
    ['http://api.example.com/', 'redirect_refused'],
    ['https://secret@example.com/', 'redirect_refused'],
    ['https://ex*mple.com/', 'redirect_refused'],
    ['file:///secret', 'redirect_refused'],
    ['https://[::1', 'redirect_refused'],
  ] as const)
    test(location, () =>
      assert.equal(
        refusal(() => redirectUrl(location, new URL('https://api.example.com/here?secret'))),
        want,
      ),
    )
})
