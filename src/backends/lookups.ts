// What is looked up outside before a call runs, the same for every kind of backend: the addresses of names (ToolClad spec, Host
// and IP policy; rulings ToolClad 16 to 18) and whether files exist (ruling ToolClad 11).
import type { Refusal } from '../core/outcome.ts'
import type { LookupRule, Tool, Values } from '../core/tool.ts'
import { EgressError } from '../io/egress/error.ts'
import { isOwnListener } from '../io/egress/own-listeners.ts'
import type { Listener } from '../io/egress/own-listeners.ts'
import { resolveName } from '../io/egress/resolve-name.ts'
import type { ResolveNameDeps } from '../io/egress/resolve-name.ts'
import { kindOf } from '../io/files.ts'
import { parseRange } from '../lib/ip.ts'
import type { IpRange } from '../lib/ip.ts'
import { blocks, judgeRange } from '../lib/ranges.ts'
import { targetOf } from '../lib/target.ts'
import type { Backend, Callable, ResolveOptions } from './backend.ts'
import { resolvePath } from './command/paths.ts'
import type { PathRules } from './command/paths.ts'

export interface LookupDeps extends ResolveNameDeps, Omit<PathRules, 'root'> {
  /** Internal ranges the deployment exempts (ruling ToolClad 17). */
  readonly allowInternal: readonly IpRange[]
  /** Where this gateway listens; never reached, whatever is exempt. */
  readonly listeners?: () => readonly Listener[]
}

/** The backend, with the lookups of its tools before its own `resolve`. */
export function withLookups(backend: Backend, deps: LookupDeps): Backend {
  return {
    ...backend,
    prepare: async tool => {
      const { callable, ...prepared } = await backend.prepare(tool)
      const rules = tool.lookups ?? []
      return {
        ...prepared,
        callable: rules.length === 0 ? callable : lookUpFirst(tool, callable, { rules: rules.map(compileRule), deps }),
      }
    },
  }
}

type TargetRule = Extract<LookupRule, { readonly kind: 'target' }> & { readonly denied: readonly IpRange[] }
type FileRule = Extract<LookupRule, { readonly kind: 'file' }>

function compileRule(rule: LookupRule): TargetRule | FileRule {
  return rule.kind === 'file' ? rule : { ...rule, denied: rule.blocked.flatMap(text => parseRange(text) ?? []) }
}

interface Rules {
  readonly rules: readonly (TargetRule | FileRule)[]
  readonly deps: LookupDeps
}

function lookUpFirst(tool: Tool, { resolve }: Callable, { rules, deps }: Rules): Callable {
  return {
    resolve: async (values, options) => {
      const found = await lookUp(values, options, { rules, deps })
      const resolution = await resolve(values, options)
      const refusals = found.flatMap(({ refusal }) => refusal ?? [])
      if (resolution.status === 'refused') refusals.push(...resolution.refusals)
      if (refusals.length > 0) return { status: 'refused', refusals: asDeclared(refusals, tool) }
      const exempt = found.flatMap(({ exempt: argument }) => argument ?? [])
      return exempt.length === 0 || resolution.status !== 'ready' ? resolution : { ...resolution, exempt }
    },
  }
}

/** The first refusal of each argument, in the order of the arguments. */
function asDeclared(refusals: readonly Refusal[], { parameters }: Tool): readonly Refusal[] {
  return parameters.flatMap(({ name }) => refusals.find(({ argument }) => argument === name) ?? [])
}

/** What was found out about one argument: nothing, why it is refused, or that only an exemption lets it pass. */
interface Finding {
  readonly refusal?: Refusal
  readonly exempt?: string
}

function lookUp(values: Values, options: ResolveOptions, { rules, deps }: Rules): Promise<readonly Finding[]> {
  return Promise.all(
    rules.map(async rule => {
      const value = values[rule.argument]
      if (typeof value !== 'string') return {}
      if (rule.kind === 'target') return lookUpTarget(rule, value, { options, deps })
      return options.lookups ? lookUpFile(rule, value, deps) : {}
    }),
  )
}

/** All addresses of the target have to be allowed; an address or a range is its own. */
async function lookUpTarget(
  rule: TargetRule,
  value: string,
  { options, deps }: { readonly options: ResolveOptions; readonly deps: LookupDeps },
): Promise<Finding> {
  const { argument, type, blockInternal, denied } = rule
  const target = targetOf(type, value)
  let ranges: readonly IpRange[]
  if (target.kind === 'range') ranges = [target.range]
  else if (options.lookups)
    try {
      ranges = await resolveName(target.host, deps)
    } catch (error) {
      if (!(error instanceof EgressError)) throw error
      return refused(argument, 'dns', `cannot be judged: ${error.message}`)
    }
  else return {}
  const what = target.kind === 'name' ? `${target.host} resolves to` : `${value} is`
  let exempt = false
  for (const range of ranges) {
    const block = judgeRange(range, { blockInternal, allow: deps.allowInternal })
    if (block === 'always_blocked') return refused(argument, block, `${what} an address that is always blocked`)
    if (block === 'internal') return refused(argument, block, `${what} an internal address`)
    if (target.kind === 'name' && denied.some(denial => blocks(denial, range)))
      return refused(argument, 'scope', `${target.host} resolves to an address the scope blocks`)
    if (isOwn(range, target.port, deps)) return refused(argument, 'internal', `${what} this gateway itself`)
    exempt ||= judgeRange(range, { blockInternal, allow: [] }) !== undefined
  }
  return exempt ? { exempt: argument } : {}
}

function isOwn(range: IpRange, port: number | undefined, { listeners }: LookupDeps): boolean {
  return port !== undefined && range.first === range.last && isOwnListener(range, port, listeners?.() ?? [])
}

async function lookUpFile({ argument, root }: FileRule, value: string, rules: LookupDeps): Promise<Finding> {
  const resolved = await resolvePath(argument, value, { ...rules, root })
  if (!resolved.ok) return { refusal: { argument, fence: resolved.fence, message: resolved.message } }
  const kind = await kindOf(resolved.path)
  if (kind === 'missing') return refused(argument, 'not_found', `there is no file "${value}"`)
  return kind === 'file' ? {} : refused(argument, 'not_file', `"${value}" is not a regular file`)
}

function refused(argument: string, fence: Refusal['fence'], message: string): Finding {
  return { refusal: { argument, fence, message: `${argument}: ${message}` } }
}
