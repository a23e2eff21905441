import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain } from '../style.ts'
import { banner } from './serve-banner.ts'

test('says where, with what token, and how to connect; every line can be pasted', () => {
  const text = banner(
    {
      workspace: '/w',
      tools: [],
      url: 'http://127.0.0.1:7411/mcp',
      token: 's3cret',
      stdio: ['/usr/bin/node', '/opt/my apps/main.js', 'serve', '--stdio', '/w$(id)'],
    },
    { style: plain },
  )
  assert.match(text, /^Sallyport \d+\.\d+\.\d+ serves \/w$/m)
  assert.match(
    text,
    /^ {2}claude mcp add --transport http sallyport http:\/\/127\.0\.0\.1:7411\/mcp --header "Authorization: Bearer s3cret"$/m,
  )
  assert.match(
    text,
    /^ {2}claude mcp add sallyport -- \/usr\/bin\/node "\/opt\/my apps\/main\.js" serve --stdio '\/w\$\(id\)'$/m,
  )
  const [json = ''] = /^ {2}\{.*\}$/m.exec(text) ?? []
  assert.deepEqual(JSON.parse(json), {
    mcpServers: {
      sallyport: { type: 'http', url: 'http://127.0.0.1:7411/mcp', headers: { Authorization: 'Bearer s3cret' } },
    },
  })
})
