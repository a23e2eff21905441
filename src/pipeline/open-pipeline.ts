import type { AuditSink } from '../audit/record.ts'
import type { Entry } from '../catalog/entry.ts'
import type { CallContext, CallRequest } from '../core/call.ts'
import type { Outcome } from '../core/outcome.ts'
import type { Logger } from '../core/ports.ts'
import type { PolicyEngine } from '../policy/engine.ts'
import type { Gate } from '../policy/gate.ts'
import { audited } from './audited.ts'
import { dryRun } from './dry-run.ts'
import type { DryRun, DryRunOptions } from './dry-run.ts'
import { runCall } from './run-call.ts'
import type { Steps } from './run-call.ts'
import { approve } from './steps/approve.ts'
import { authorize } from './steps/authorize.ts'
import { execute } from './steps/execute.ts'
import { postGate, preGate } from './steps/gates.ts'
import { resolve } from './steps/resolve.ts'
import { scope } from './steps/scope.ts'
import { validate } from './steps/validate.ts'

export interface PipelineDeps {
  /** Finds a tool by the name clients see, in the snapshot of this moment. */
  readonly find: (name: string) => Entry | undefined
  readonly policy: PolicyEngine
  readonly gates: readonly Gate[]
  readonly audit: AuditSink
  readonly logger: Logger
}

export interface Pipeline {
  readonly run: (request: CallRequest, ctx: CallContext) => Promise<Outcome>
  readonly dryRun: (request: CallRequest, ctx: CallContext, options: DryRunOptions) => Promise<DryRun | Outcome>
}

/** Builds the steps once. */
export function openPipeline({ find, policy, gates, audit, logger }: PipelineDeps): Pipeline {
  const steps: Steps = {
    audited: audited(audit, logger),
    authorize: authorize({ find, policy }),
    validate,
    scope,
    preGate: preGate(gates),
    approve,
    resolve,
    execute,
    postGate: postGate(gates),
  }
  return {
    run: (request, ctx) => runCall(steps, request, ctx),
    dryRun: (request, ctx, options) => dryRun(steps, request, ctx, options),
  }
}
