import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditSink, FinishedRecord, StartedRecord } from '../audit/record.ts'
import type { Callable, Resolution } from '../backends/backend.ts'
import type { Entry } from '../catalog/entry.ts'
import type { CallContext } from '../core/call.ts'
import { GatewayError } from '../core/errors.ts'
import type { Outcome } from '../core/outcome.ts'
import type { Clock } from '../core/ports.ts'
import { LOCAL } from '../core/principal.ts'
import type { ProcessResult, RawResult, Tool } from '../core/tool.ts'
import { ALLOW_ALL } from '../policy/engine.ts'
import type { PolicyEngine } from '../policy/engine.ts'
import type { Gate } from '../policy/gate.ts'
import { openPipeline } from './open-pipeline.ts'

const clock: Clock = {
  now: () => 1_800_000_000_000,
  monotonic: () => 0,
  timer: () => () => {},
  sleep: (_ms, signal) => new Promise(resolve => signal?.addEventListener('abort', () => resolve(), { once: true })),
}

interface World {
  readonly started: StartedRecord[]
  readonly finished: FinishedRecord[]
  readonly log: string[]
}

interface Options {
  readonly tool?: Partial<Tool>
  readonly policy?: PolicyEngine
  readonly gates?: readonly Gate[]
  readonly resolution?: Resolution
  readonly run?: () => Promise<RawResult>
  readonly startFails?: boolean
  readonly approved?: boolean
}

const raw: ProcessResult = {
  kind: 'process',
  scanId: '1-0',
  command: 'x',
  startedAt: 0,
  durationMs: 1,
  ended: 'exited',
  exitCode: 0,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  truncated: false,
}

function makeTool(world: World, overrides: Partial<Tool> = {}): Tool {
  return {
    name: 'greet',
    format: 'test',
    description: '',
    needsApproval: false,
    timeoutMs: 1000,
    parameters: [],
    inputSchema: { type: 'object' },
    binding: { kind: 'test', data: {} },
    definition: { name: 'greet' },
    validate: args => {
      world.log.push(`validate ${JSON.stringify(args)}`)
      return args['who'] === ''
        ? { ok: false, refusals: [{ argument: 'who', fence: 'empty', message: 'who is empty' }] }
        : { ok: true, values: args }
    },
    scope: values => {
      world.log.push('scope')
      return values['who'] === 'outside' ? [{ argument: 'who', fence: 'scope', message: 'not in scope' }] : []
    },
    interpret: result =>
      result.kind === 'process' && result.exitCode === 0
        ? { ok: true, result: { value: 'hello' } }
        : { ok: false, code: 'error', message: 'it failed', retryable: false, exit: 3, result: { value: 'partial' } },
    locate: () => ({ line: 1, column: 1 }),
    ...overrides,
  }
}

async function call(
  args: Record<string, string>,
  options: Options = {},
): Promise<World & { readonly outcome: Outcome }> {
  const world: World = { started: [], finished: [], log: [] }
  const ready = {
    preview: {},
    run: async () => {
      world.log.push('run')
      return options.run === undefined ? raw : options.run()
    },
  }
  const callable: Callable = {
    resolve: async () => {
      world.log.push('resolve')
      return options.resolution ?? { status: 'ready', ready }
    },
  }
  const entry: Entry = { name: 'greet', hash: 'h', tool: makeTool(world, options.tool), callable }
  const audit: AuditSink = {
    started: async record => {
      world.log.push('record')
      if (options.startFails === true) throw new GatewayError('store_unavailable')
      world.started.push(record)
    },
    finished: record => {
      world.finished.push(record)
    },
  }
  const pipeline = openPipeline({
    find: name => (name === 'greet' ? entry : undefined),
    policy: options.policy ?? ALLOW_ALL,
    gates: options.gates ?? [],
    audit,
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  })
  const ctx: CallContext = {
    id: 'call-1',
    principal: LOCAL,
    signal: new AbortController().signal,
    clock,
    progress: ignore,
    approved: options.approved ?? false,
  }
  const outcome = await pipeline.run({ tool: args['_tool'] ?? 'greet', args }, ctx)
  return { ...world, outcome }
}

function ignore(): void {}

test('a call passes every step in order, is recorded before it runs and finished after', async () => {
  const { outcome, log, started, finished } = await call({ who: 'you' })
  assert.deepEqual(outcome, { status: 'ok', result: { value: 'hello' } })
  assert.deepEqual(log, ['validate {"who":"you"}', 'scope', 'resolve', 'record', 'run'])
  assert.equal(started.length, 1)
  assert.equal(started[0]?.toolHash, 'h')
  assert.deepEqual(
    finished.map(f => [f.id, f.outcome, f.steps.map(s => `${s.step} ${s.decision}`).join(', ')]),
    [
      [
        'call-1',
        'ok',
        'authorize go, validate go, scope go, pre-gate go, approve go, resolve go, execute go, post-gate go',
      ],
    ],
  )
})

const denyAll: PolicyEngine = { decide: () => ({ allow: false, reason: 'not yours' }), filter: () => [] }
const broken: PolicyEngine = {
  decide: () => {
    throw new Error('secret detail')
  },
  filter: () => [],
}
const refuse: Gate = { name: 'no', before: () => ({ decision: 'deny', code: 'curfew', reason: 'not at night' }) }

const exits: readonly {
  readonly name: string
  readonly args?: Record<string, string>
  readonly options?: Options
  readonly outcome: object
  readonly last: string
}[] = [
  {
    name: 'unknown tool',
    args: { _tool: 'nope' },
    outcome: { status: 'denied', by: 'authorization', code: 'unknown_tool', reason: 'No such tool.' },
    last: 'authorize stop',
  },
  {
    name: 'policy denies',
    options: { policy: denyAll },
    outcome: { status: 'denied', by: 'authorization', code: 'not_authorized', reason: 'not yours' },
    last: 'authorize stop',
  },
  {
    name: 'policy throws: denied, and its message stays inside',
    options: { policy: broken },
    outcome: {
      status: 'denied',
      by: 'authorization',
      code: 'not_authorized',
      reason: 'The policy gave no decision: it failed',
    },
    last: 'authorize stop',
  },
  {
    name: 'argument refused',
    args: { who: '' },
    outcome: {
      status: 'denied',
      by: 'argument',
      refusals: [{ argument: 'who', fence: 'empty', message: 'who is empty' }],
    },
    last: 'validate stop',
  },
  {
    name: 'out of scope',
    args: { who: 'outside' },
    outcome: {
      status: 'denied',
      by: 'scope',
      refusals: [{ argument: 'who', fence: 'scope', message: 'not in scope' }],
    },
    last: 'scope stop',
  },
  {
    name: 'gate denies',
    options: { gates: [refuse] },
    outcome: { status: 'denied', by: 'gate', code: 'curfew', reason: 'not at night' },
    last: 'pre-gate stop',
  },
  {
    name: 'approval missing',
    options: { tool: { needsApproval: true } },
    outcome: {
      status: 'denied',
      by: 'approval',
      code: 'approval_required',
      reason: 'greet needs a person\'s approval: run it at the machine with "sallyport run greet --approve".',
    },
    last: 'approve stop',
  },
  {
    name: 'backend denies',
    options: { resolution: { status: 'denied', code: 'interpreter', reason: 'a shell' } },
    outcome: { status: 'denied', by: 'backend', code: 'interpreter', reason: 'a shell' },
    last: 'resolve stop',
  },
  {
    name: 'the tool fails',
    options: { run: async () => ({ ...raw, exitCode: 1 }) },
    outcome: {
      status: 'failed',
      code: 'error',
      message: 'it failed',
      retryable: false,
      exit: 3,
      result: { value: 'partial' },
    },
    last: 'post-gate go',
  },
]

for (const { name, args = { who: 'you' }, options = {}, outcome, last } of exits)
  test(`${name}: audited, and nothing later runs`, async () => {
    const world = await call(args, options)
    assert.deepEqual(world.outcome, outcome)
    assert.equal(world.finished.length, 1)
    const step = world.finished[0]?.steps.at(-1)
    assert.equal(`${step?.step} ${step?.decision}`, last)
    if (last !== 'post-gate go') assert.ok(!world.log.includes('run'))
  })

test('what cannot be recorded does not run', async () => {
  const { outcome, log } = await call({ who: 'you' }, { startFails: true })
  assert.equal(outcome.status === 'failed' && outcome.code, 'store_unavailable')
  assert.ok(!log.includes('run'))
})

test('a bug becomes `internal` with the call id, and its message is not shown', async () => {
  const { outcome, finished } = await call(
    { who: 'you' },
    {
      run: () => {
        throw new TypeError('secret detail')
      },
    },
  )
  assert.ok(outcome.status === 'failed' && outcome.code === 'internal')
  assert.match(outcome.message, /call-1/)
  assert.doesNotMatch(outcome.message, /secret/)
  assert.equal(finished[0]?.outcome, 'failed')
})

test('approved by a person: it runs', async () => {
  const { outcome } = await call({ who: 'you' }, { tool: { needsApproval: true }, approved: true })
  assert.equal(outcome.status, 'ok')
})

test('a gate that changes arguments sends the call back through validation and scope', async () => {
  const rename: Gate = {
    name: 'rename',
    before: ({ values }) =>
      values['who'] === 'you' ? { decision: 'change', args: { who: 'outside' } } : { decision: 'allow' },
  }
  const { outcome, log } = await call({ who: 'you' }, { gates: [rename] })
  assert.equal(outcome.status === 'denied' && outcome.by, 'scope')
  assert.deepEqual(log, ['validate {"who":"you"}', 'scope', 'validate {"who":"outside"}', 'scope'])
})

test('gates that never settle deny the call', async () => {
  const restless: Gate = { name: 'restless', before: () => ({ decision: 'change', args: { who: 'you' } }) }
  const { outcome } = await call({ who: 'you' }, { gates: [restless] })
  assert.equal(outcome.status === 'denied' && outcome.by === 'gate' && outcome.code, 'unsettled')
})

test('a gate that fails after the call withholds the result, and the record says the call ran', async () => {
  const leaky: Gate = { name: 'dlp', after: () => Promise.reject(new Error('boom')) }
  const { outcome, started, finished } = await call({ who: 'you' }, { gates: [leaky] })
  assert.equal(outcome.status === 'denied' && outcome.by === 'gate' && outcome.code, 'gate_failed')
  assert.equal(started.length, 1)
  assert.ok(finished[0]?.steps.some(s => s.step === 'execute' && s.decision === 'go'))
})
