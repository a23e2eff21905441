// Versions of DADL files and of the runtime they ask for (DADL spec 4.5, 15.3; Semantic Versioning 2.0.0, 11).

export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** The identifiers of a pre-release, none for a release. What is built (`+…`) makes no other version. */
  readonly prerelease: readonly string[]
}

/** Numbers are as long as a `number` holds them exactly. */
const NUMBER = String.raw`(\d{1,15})`
const IDENTIFIERS = String.raw`[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*`
const VERSION = new RegExp(
  String.raw`^${NUMBER}\.${NUMBER}(?:\.${NUMBER})?(?:-(${IDENTIFIERS}))?(?:\+${IDENTIFIERS})?$`,
)

/** `MAJOR.MINOR` or `MAJOR.MINOR.PATCH`, without a patch 0 (DADL spec 4.5), and what SemVer lets follow. */
export function parseVersion(text: string): Version | undefined {
  const [whole, major, minor, patch = 0, prerelease] = VERSION.exec(text) ?? []
  return whole === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor), patch: Number(patch), prerelease: prerelease?.split('.') ?? [] }
}

/** Negative where `a` is the older one, 0 where neither is. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePrereleases(a.prerelease, b.prerelease)
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length
  for (const [index, left] of a.entries()) {
    const right = b[index]
    if (right === undefined) return 1
    const difference = compareIdentifiers(left, right)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Numbers by value and before words, words by their characters' codes. */
function compareIdentifiers(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1
  if (aIsNumber) return Number(BigInt(a) - BigInt(b))
  return a < b ? -1 : Number(a > b)
}
