// What the command line says of APIs: their types, and what their files say.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import * as z from 'zod'
import { sallyport } from '../helpers/processes.ts'
import { makeWorkspace, manifest } from '../helpers/workspace.ts'

const DOCUMENT = `spec: https://dadl.ai/spec/dadl-spec-v0.2.md
backend:
  name: harbour
  type: rest
  version: "1.2"
  base_url: https://harbour.example.com
  description: Ships and berths
  auth: {type: bearer, credential: harbour-token}
  tools:
    get_ship:
      method: GET
      path: /ships/{name}
      access: read
      description: "One ship \\e[2J"
      params:
        name: {type: string, in: path}
    sink_ship:
      method: DELETE
      path: /ships/{name}
      access: dangerous
      description: Sinks it
      params:
        name: {type: string, in: path}
`

describe('cli, types and show', () => {
  const workspace = makeWorkspace({
    'apis/harbour.dadl': DOCUMENT,
    'tools/say.clad.toml': manifest('say', ['true']),
    'other/lake.dadl': DOCUMENT.replace('name: harbour', 'name: lake'),
    'other/broken.dadl': 'spec: https://dadl.ai/spec/dadl-spec-v0.2.md\n',
    'sallyport.yaml': '',
  })
  after(() => workspace.dispose())
  const secret = 'a-value-nobody-is-shown'
  const env = { SALLYPORT_STATE: `${workspace.path}/.state`, CREDENTIAL_HARBOUR_TOKEN: secret }
  const cli = (...args: readonly string[]) => sallyport(args, { cwd: workspace.path, env })

  test('types prints all of the workspace, or one API of it', async () => {
    const all = await cli('types')
    assert.equal(all.code, 0)
    assert.match(all.stdout, /declare namespace harbour[^]*declare namespace cli[^]*declare var api: Apis;\n$/)
    const one = await cli('types', 'harbour', '--detail', 'signatures')
    assert.match(one.stdout, /^ {4}get_ship\(args: \{ name: string \}\): Promise<any>;$/m)
    assert.doesNotMatch(one.stdout, /namespace cli/)
    const { stdout } = await cli('types', 'cli', '--json')
    const [command, ...others] = z
      .array(z.strictObject({ backend: z.string(), types: z.string() }))
      .parse(JSON.parse(stdout))
    assert.deepEqual([command?.backend, others], ['cli', []])
    assert.match(command?.types ?? '', /say\(\): Promise<Envelope</)
  })

  test('types of a file', async () => {
    assert.match((await cli('types', 'other/lake.dadl')).stdout, /interface Apis \{\n {2}lake: lake\.Tools;/)
    const broken = await cli('types', 'other/broken.dadl')
    assert.deepEqual([broken.code, broken.stdout], [2, ''])
    assert.match(broken.stderr, /missing_key/)
  })

  test('an unknown name is answered with the nearest', async () => {
    for (const command of ['types', 'show']) {
      const { code, stdout, stderr } = await cli(command, 'harbor')
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /there is no API "harbor" \(did you mean "harbour"\?\)/)
    }
    const level = await cli('types', '--detail', 'signature')
    assert.deepEqual([level.code, level.stdout], [64, ''])
    assert.match(level.stderr, /did you mean "signatures"/)
    assert.equal((await cli('show')).code, 64)
  })

  test('show says what the file says, and names credentials without their values', async () => {
    const text = await cli('show', 'harbour')
    assert.equal(text.code, 0)
    for (const line of [
      'harbour 1.2',
      '  credentials: harbour-token',
      '  dangerous (1): sink_ship',
      '  read (1): get_ship',
    ])
      assert.ok(text.stdout.split('\n').includes(line), text.stdout)
    const { stdout } = await cli('show', 'harbour', '--json')
    const shown = z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) }).parse(JSON.parse(stdout))
    assert.deepEqual(
      [shown['name'], shown['version'], shown['credentials'], shown.tools.map(({ name }) => name)],
      ['harbour', '1.2', ['harbour-token'], ['get_ship', 'sink_ship']],
    )
    for (const output of [text.stdout, stdout]) {
      assert.ok(!output.includes(secret))
      assert.ok(!output.includes('\u001b'))
    }
  })
})
