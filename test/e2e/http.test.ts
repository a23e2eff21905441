// A manifest of `[http]` from the command line: loaded, tried, run, and nothing secret in any stream.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { isJsonObject } from '../../src/core/json.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { sallyport } from '../helpers/processes.ts'
import { makeWorkspace } from '../helpers/workspace.ts'
import type { TestWorkspace } from '../helpers/workspace.ts'

const SECRET = 'a-secret-of-this-test'

describe('an HTTP manifest', () => {
  let workspace: TestWorkspace
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.statusCode = request.url === '/ships/Maud' ? 404 : 200
    response.end(JSON.stringify({ name: 'Fram', key: request.headers.authorization }))
  })

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    workspace = makeWorkspace({
      'tools/ship.clad.toml': `[tool]
name = "ship"
version = "1.0.0"
description = "One ship of the harbour"
[args.name]
required = true
description = "Its name"
[http]
url = "http://127.0.0.1:${address.port}/ships/{name}"
headers = { Authorization = "Bearer {_secret:harbour}" }
[output]
format = "json"
`,
    })
  })
  after(() => {
    server.closeAllConnections()
    server.close()
    workspace.dispose()
  })

  async function cli(args: readonly string[], secret = SECRET) {
    const { path: cwd } = workspace
    const env = {
      SALLYPORT_STATE: `${cwd}/.state`,
      TOOLCLAD_EVIDENCE_DIR: `${cwd}/evidence`,
      TOOLCLAD_SECRET_HARBOUR: secret,
    }
    const { stdout, stderr, code } = await sallyport([...args, '--json'], { cwd, env })
    assert.ok(!(stdout + stderr).includes(SECRET), 'a secret is shown')
    const value: unknown = JSON.parse(stdout)
    assert.ok(isJsonObject(value))
    return { value, code }
  }

  const request = (value: JsonObject): unknown => value['request']

  test('is valid, and tried without its secret', async () => {
    assert.equal((await cli(['validate', 'tools/ship.clad.toml'])).code, 0)
    asked.length = 0
    const { value, code } = await cli(['test', 'ship', '--arg', 'name=a/b'], '')
    assert.deepEqual([code, value['kind'], asked], [0, 'http', []])
    const shown = request(value)
    assert.ok(isJsonObject(shown))
    assert.match(JSON.stringify(shown['url']), /\/ships\/a%2Fb"$/)
    assert.deepEqual(shown['headers'], { authorization: 'Bearer {_secret:harbour}' })
  })

  test('runs, and its answer and its evidence come without the secret', async () => {
    asked.length = 0
    const { value, code } = await cli(['run', 'ship', '--arg', 'name=Fram'])
    assert.deepEqual(asked, [`GET /ships/Fram Bearer ${SECRET}`])
    assert.deepEqual([code, value['status'], value['output_redacted']], [0, 'success', true])
    assert.deepEqual(value['results'], { name: 'Fram', key: 'Bearer [secret]' })
    assert.match(JSON.stringify(value['command']), /^"GET http:\/\/127\.0\.0\.1:\d+\/ships\/\{name\}"$/)
    const { output_file: file } = value
    assert.ok(typeof file === 'string')
    assert.equal(readFileSync(file, 'utf8'), '{"name":"Fram","key":"Bearer [secret]"}')
    const audit = await sallyport(['audit', 'list'], {
      cwd: workspace.path,
      env: { SALLYPORT_STATE: `${workspace.path}/.state` },
    })
    assert.match(audit.stdout, /ship/)
    assert.ok(!audit.stdout.includes(SECRET))
  })

  test('ends with 3 for a status, and without its secret', async () => {
    const gone = await cli(['run', 'ship', '--arg', 'name=Maud'])
    assert.deepEqual([gone.code, gone.value['status'], gone.value['http_status']], [3, 'client_error', 404])
    asked.length = 0
    const { value, code } = await cli(['run', 'ship', '--arg', 'name=Fram'], '')
    assert.deepEqual([code, value['status'], asked], [3, 'error', []])
    assert.match(JSON.stringify(value['results']), /Secret 'harbour' not found \(set TOOLCLAD_SECRET_HARBOUR\)/)
  })
})
