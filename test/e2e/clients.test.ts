// What an agent's client sees, with clients nobody here wrote: both official SDK lines, both protocol eras, both transports.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CLIENTS } from '../helpers/clients.ts'
import type { Target } from '../helpers/clients.ts'
import { processesWith, serve, until } from '../helpers/processes.ts'
import type { Served } from '../helpers/processes.ts'
import { makeWorkspace, manifest, TOOLS } from '../helpers/workspace.ts'

const workspace = makeWorkspace(TOOLS)
const state = makeWorkspace({})
const env = (name: string): Record<string, string> => ({
  SALLYPORT_STATE: `${state.path}/${name}`,
  TOOLCLAD_EVIDENCE_DIR: `${state.path}/evidence-${name}`,
})
let http: Served

describe('clients', () => {
  before(async () => {
    http = await serve(workspace.path, env('http'))
  })
  after(async () => {
    await http.stop()
    workspace.dispose()
    state.dispose()
  })

  const TRANSPORTS: readonly { readonly name: string; readonly target: (seconds: number) => Target }[] = [
    { name: 'stdio', target: n => ({ kind: 'stdio', folder: workspace.path, env: env(`stdio-${n}`) }) },
    { name: 'HTTP', target: () => ({ kind: 'http', url: http.url, token: http.token }) },
  ]

  let unique = 500
  for (const { name: clientName, connect } of CLIENTS)
    for (const { name: transport, target } of TRANSPORTS)
      describe(`${clientName} over ${transport}`, () => {
        unique -= 1
        const seconds = unique
        let changes = 0
        const connected = (): ReturnType<typeof connect> => connect(target(seconds), () => (changes += 1))
        let client: Awaited<ReturnType<typeof connect>>
        before(async () => {
          client = await connected()
        })
        after(() => client.close())

        test('negotiates the revision it asks for', () => {
          const revision = client.revision()
          if (revision !== undefined) assert.ok(clientName.includes(revision), `${clientName} got ${revision}`)
        })

        test('lists the tools with schemas a model can use', async () => {
          const tools = await client.list()
          assert.deepEqual(tools.map(({ name }) => name).toSorted(), ['fail', 'launch', 'say', 'wait'])
          const say = tools.find(({ name }) => name === 'say')
          assert.deepEqual(say?.inputSchema, {
            type: 'object',
            properties: { text: { type: 'string', description: 'What to say', minLength: 1 } },
            required: ['text'],
            additionalProperties: false,
          })
          assert.ok(say?.outputSchema)
        })

        test('calls one and gets the envelope, structured and as text', async () => {
          const result = await client.call('say', { text: 'hello world' })
          assert.equal(result.isError, false)
          const envelope = JSON.parse(result.text)
          assert.deepEqual(result.structured, envelope)
          assert.equal(envelope.status, 'success')
          assert.equal(envelope.results.raw_output, 'hello world')
          assert.equal(envelope.command, 'printf %s hello world')
          assert.match(envelope.output_hash, /^sha256:[0-9a-f]{64}$/)
        })

        test('is told what is wrong with every argument', async () => {
          const result = await client.call('say', { text: 'a; rm -rf /', txet: 'b' })
          assert.equal(result.isError, true)
          assert.equal(result.structured, undefined)
          const { refusals } = JSON.parse(result.text)
          assert.deepEqual(
            refusals.map((r: Record<string, string>) => [r['argument'], r['fence']]),
            [
              ['text', 'metacharacter'],
              ['txet', 'unknown_argument'],
            ],
          )
          assert.match(refusals[1].message, /text/)
        })

        test('sees a failed program as an error with its envelope', async () => {
          const result = await client.call('fail', {})
          assert.equal(result.isError, true)
          const envelope = JSON.parse(result.text)
          assert.equal(envelope.status, 'error')
          assert.equal(envelope.exit_code, 2)
          assert.match(envelope.stderr, /no-such-flag/)
          assert.deepEqual(result.structured, envelope)
        })

        test('is denied what needs a person', async () => {
          const result = await client.call('launch', {})
          assert.equal(result.isError, true)
          assert.equal(result.structured, undefined)
          assert.equal(JSON.parse(result.text).denied.by, 'approval')
        })

        test('gets a protocol error for an unknown tool, with the nearest name', async () => {
          await assert.rejects(client.call('sya', {}), /Unknown tool: sya.*say/)
        })

        test('cancels a call, and the child process ends', async () => {
          const abort = new AbortController()
          const call = client.call('wait', { seconds }, abort.signal).then(
            () => 'answered',
            () => 'rejected',
          )
          await until('the child runs', () => processesWith(`sleep ${seconds}`).length > 0)
          abort.abort()
          assert.equal(await call, 'rejected')
          await until('the child is gone', () => processesWith(`sleep ${seconds}`).length === 0)
        })

        test('is told when the tools change', async () => {
          const known = changes
          const file = `tools/new${seconds}.clad.toml`
          const added = `new_${seconds}_${transport.toLowerCase()}`
          workspace.write(file, manifest(added, ['true']))
          await until('list_changed arrives', () => changes > known)
          await until('the new tool is listed', async () => (await client.list()).some(({ name }) => name === added))
          workspace.remove(file)
          await until('it is gone again', async () => !(await client.list()).some(({ name }) => name === added))
        })
      })
})
