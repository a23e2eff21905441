// What the next version of a document owes to the last one (DADL spec 4.5, 6.7): a version that says how much has changed,
// and no tool gone without a warning beforehand.
import type { JsonObject } from '../../core/json.ts'
import { membersOf, objectsIn } from './members.ts'
import { compareVersions, parseVersion } from './version.ts'
import type { Version } from './version.ts'

export interface ComparisonProblem {
  readonly code: 'removed_undeprecated' | 'version_bump'
  readonly message: string
  /** JSON Pointer into the new document. */
  readonly path: string
}

/** Compares two documents as they were parsed, the older one first; what neither is a document of is not compared. */
export function compareDocuments(old: unknown, now: unknown): readonly ComparisonProblem[] {
  const before = read(old)
  const after = read(now)
  return [...removedUndeprecated(before, after), ...versionProblems(before, after)]
}

interface Read {
  readonly version: string | undefined
  readonly tools: ReadonlyMap<string, JsonObject>
  /** Tools and composites: nobody who calls them can tell them apart (DADL spec 12.2). */
  readonly callable: ReadonlyMap<string, JsonObject>
}

function read(document: unknown): Read {
  const backend = membersOf(membersOf(document).get('backend'))
  const tools = objectsIn(backend.get('tools'))
  const version = backend.get('version')
  return {
    version: typeof version === 'string' || typeof version === 'number' ? String(version) : undefined,
    tools,
    callable: new Map([...objectsIn(backend.get('composites')), ...tools]),
  }
}

/** Tools only: a composite has no `deprecated` to carry (DADL spec 12.3). */
function removedUndeprecated(before: Read, after: Read): readonly ComparisonProblem[] {
  return [...before.tools]
    .filter(([name, { deprecated }]) => !after.callable.has(name) && (deprecated ?? false) === false)
    .map(([name]) => ({
      code: 'removed_undeprecated',
      message: `the tool "${name}" is gone and was not deprecated before: keep it, with deprecated and replaced_by, until the next major version`,
      path: '/backend/tools',
    }))
}

function versionProblems(before: Read, after: Read): readonly ComparisonProblem[] {
  if (before.version === undefined) return []
  const problem = (message: string): readonly ComparisonProblem[] => [
    { code: 'version_bump', message, path: after.version === undefined ? '/backend' : '/backend/version' },
  ]
  const old = parseVersion(before.version)
  if (old === undefined) return problem(`the old document's version, "${before.version}", cannot be compared`)
  if (after.version === undefined)
    return problem(`version: this key is needed; the old document says ${before.version}`)
  const now = parseVersion(after.version)
  if (now === undefined) return problem(`"${after.version}" is no version: expected MAJOR.MINOR or MAJOR.MINOR.PATCH`)
  if (compareVersions(now, old) < 0) return problem(`${after.version} is older than ${before.version}`)
  const breaking = breakingChanges(before, after)
  if (breaking.length > 0 && !isRaised('major', old, now))
    return problem(`${after.version} says too little, expected ${old.major + 1}.0 or newer: ${listed(breaking)}`)
  const added = [...after.callable.keys()].filter(name => !before.callable.has(name)).map(name => `"${name}" is new`)
  if (added.length > 0 && !isRaised('minor', old, now))
    return problem(
      `${after.version} says too little, expected ${old.major}.${old.minor + 1} or newer: ${listed(added)}`,
    )
  return []
}

/** Between the pre-releases of one version everything may still change. */
function isRaised(by: 'major' | 'minor', old: Version, now: Version): boolean {
  if (old.prerelease.length > 0 && compareVersions(now, old) > 0) return true
  return now.major > old.major || (by === 'minor' && now.major === old.major && now.minor > old.minor)
}

function listed(changes: readonly string[]): string {
  const more = changes.length - MAX_LISTED
  return changes.slice(0, MAX_LISTED).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

const MAX_LISTED = 5

/** What calls that worked can stumble over. */
function breakingChanges(before: Read, after: Read): readonly string[] {
  return [...before.callable].flatMap(([name, tool]) => {
    const next = after.callable.get(name)
    return next === undefined ? [`"${name}" is gone`] : parameterChanges(name, tool, next)
  })
}

function parameterChanges(name: string, tool: JsonObject, next: JsonObject): readonly string[] {
  const before = objectsIn(tool['params'])
  const after = objectsIn(next['params'])
  const of = (parameter: string): string => `the parameter "${parameter}" of "${name}"`
  return [
    ...[...before.keys()].filter(parameter => !after.has(parameter)).map(parameter => `${of(parameter)} is gone`),
    ...[...after].flatMap(([parameter, now]) => {
      const old = before.get(parameter)
      return [
        ...(isNeeded(now) && (old === undefined || !isNeeded(old)) ? [`${of(parameter)} is now required`] : []),
        ...(old === undefined ? [] : ['type', 'in'].filter(key => differs(old[key], now[key]))).map(
          key => `${of(parameter)} has another ${key === 'in' ? 'location' : 'type'}`,
        ),
      ]
    }),
  ]
}

/** A composite's parameters have no location. */
function differs(old: unknown, now: unknown): boolean {
  return old !== undefined && now !== undefined && old !== now
}

/** What stands in the path is always needed; a default stands in for what is not given (ruling DADL 12). */
function isNeeded({ required, in: location, default: fallback }: JsonObject): boolean {
  return (required === true || location === 'path') && fallback === undefined
}
