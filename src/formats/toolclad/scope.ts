// Where a tool may go: the project's scope file (ToolClad spec, Scope Enforcement; ruling 18). Fail-closed: an argument that
// asks for the check is refused whenever there is no scope to check it by.
import type { Diagnostic } from '../../core/diagnostic.ts'
import type { Fence, Refusal } from '../../core/outcome.ts'
import type { Tool, Values } from '../../core/tool.ts'
import { covers, parseIp, parseRange } from '../../lib/ip.ts'
import type { IpRange } from '../../lib/ip.ts'
import { toPointer } from '../../lib/pointer.ts'
import { blocks, embeddedRange } from '../../lib/ranges.ts'
import type { Target } from '../../lib/target.ts'
import { parseToml } from '../../lib/toml.ts'
import type { TomlTable } from '../../lib/toml.ts'
import type { Companion } from '../format.ts'
import { openProblems } from './problems.ts'
import type { Problems } from './problems.ts'
import { SCOPE, SCOPE_FILE } from './schema.ts'
import { checkKeys, hasKey, pathOf, readSection, readStrings } from './section.ts'
import type { Section } from './section.ts'
import { SCOPE_DOMAIN, SENTENCES } from './spec.ts'

/** What may be reached: blocked rules go first and always win. */
interface Scope {
  readonly allowedDomains: readonly string[]
  readonly allowedRanges: readonly IpRange[]
  readonly blockedDomains: readonly string[]
  readonly blockedRanges: readonly IpRange[]
  /** The same as written. */
  readonly blockedCidrs: readonly string[]
}

/** The scope, or the reason why every argument that asks for it is refused. */
export type ScopeRules =
  | { readonly ok: true; readonly scope: Scope; readonly file?: string }
  | { readonly ok: false; readonly fence: Fence; readonly message: string }

export interface ReadScope {
  readonly rules: ScopeRules
  /** Warnings: a manifest is served all the same, its scoped calls are refused. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads the scope file; nothing of a file with a problem is used. */
export function parseScope(companion: Companion | undefined): ReadScope {
  if (companion === undefined)
    return { rules: { ok: false, fence: 'no_scope_file', message: SENTENCES.noScopeFile }, diagnostics: [] }
  const { file } = companion
  if ('unreadable' in companion) return broken([asWarning('file_unreadable', companion.unreadable, file)], file)
  const parsed = parseToml(companion.text)
  if (!parsed.ok) return broken([{ ...asWarning('syntax', parsed.message, file), ...parsed.position }], file)
  const problems = openProblems()
  const scope = readScope(parsed.value, problems)
  if (problems.errors() > 0)
    return broken(
      problems.toDiagnostics(parsed.locate, file).map(problem => ({ ...problem, severity: 'warning' })),
      file,
    )
  return { rules: { ok: true, scope, ...(file === undefined ? {} : { file }) }, diagnostics: [] }
}

function asWarning(code: string, message: string, file: string | undefined): Diagnostic {
  return { code, severity: 'warning', message, path: '', line: 1, column: 1, ...(file === undefined ? {} : { file }) }
}

function broken(diagnostics: readonly Diagnostic[], file = 'the scope'): ReadScope {
  const [first] = diagnostics
  const message = `scope_check is enabled but ${file} cannot be used: ${first?.message ?? 'it has a problem'}`
  return { rules: { ok: false, fence: 'scope_file', message }, diagnostics }
}

/** The scope of a table `{scope: {allowed_domains, …}}`. */
export function readScope(table: TomlTable, problems: Problems): Scope {
  const root = { rows: SCOPE_FILE, table, path: '' }
  checkKeys(root, problems, false)
  if (!hasKey(root, 'scope')) problems.error('missing_key', '', 'a scope file needs the table [scope]')
  const section = readSection(root, 'scope', SCOPE)
  return {
    allowedDomains: readDomains(readStrings(section, 'allowed_domains'), pathOf(section, 'allowed_domains'), problems),
    allowedRanges: readRanges(section, 'allowed_cidrs', problems),
    blockedDomains: readDomains(readStrings(section, 'blocked_domains'), pathOf(section, 'blocked_domains'), problems),
    blockedRanges: readRanges(section, 'blocked_cidrs', problems),
    blockedCidrs: readStrings(section, 'blocked_cidrs') ?? [],
  }
}

/** Rules for host names, in lower case and without a dot at the end; `path` is where the list stands. */
export function readDomains(list: readonly string[] | undefined, path: string, problems: Problems): readonly string[] {
  return (list ?? []).map((written, index) => {
    const rule = written.toLowerCase().replace(/\.$/, '')
    if (!SCOPE_DOMAIN.test(rule) || parseIp(rule) !== undefined)
      problems.error(
        'bad_name',
        path + toPointer([index]),
        `"${written}" must be a host name such as example.com, or *.example.com for everything below it`,
      )
    return rule
  })
}

function readRanges(
  section: Section<typeof SCOPE>,
  key: 'allowed_cidrs' | 'blocked_cidrs',
  problems: Problems,
): readonly IpRange[] {
  return (readStrings(section, key) ?? []).flatMap((written, index) => {
    const range = parseRange(written)
    if (range !== undefined) return [range]
    problems.error(
      'bad_name',
      pathOf(section, key) + toPointer([index]),
      `"${written}" must be a range such as 10.0.1.0/24, or one address`,
    )
    return []
  })
}

/** An argument that sets `scope_check`, and how its target is found in a value. */
export interface ScopedArgument {
  readonly name: string
  readonly targetOf: (value: string) => Target
}

/** The scope step of a tool; absent where none of its arguments asks for it. */
export function compileScope(args: readonly ScopedArgument[], rules: ScopeRules): Tool['scope'] | undefined {
  if (args.length === 0) return undefined
  return (values: Values): readonly Refusal[] =>
    args.flatMap(({ name, targetOf }) => {
      const value = values[name]
      if (typeof value !== 'string') return []
      if (!rules.ok) return [{ argument: name, fence: rules.fence, message: `${name}: ${rules.message}` }]
      if (isInScope(targetOf(value), rules.scope)) return []
      return [{ argument: name, fence: 'scope', message: `${name}: target '${value}' is not in scope` }]
    })
}

/** Blocked on overlap, allowed when contained whole (ruling 18). */
export function isInScope(target: Target, scope: Scope): boolean {
  if (target.kind === 'name') {
    const matches = (rule: string): boolean => matchesDomain(target.host, rule)
    return !scope.blockedDomains.some(matches) && scope.allowedDomains.some(matches)
  }
  if (scope.blockedRanges.some(rule => blocks(rule, target.range))) return false
  return scope.allowedRanges.some(rule => covers(embeddedRange(rule), embeddedRange(target.range)))
}

/** `*.d` is everything strictly below `d`. */
function matchesDomain(host: string, rule: string): boolean {
  return rule.startsWith('*.') ? host.endsWith(rule.slice(1)) && host.length > rule.length - 1 : host === rule
}

/** The ranges no answer of the DNS may lie in (ruling 18), as the backend is told them. */
export function blockedOf(rules: ScopeRules): readonly string[] {
  return rules.ok ? rules.scope.blockedCidrs : []
}
