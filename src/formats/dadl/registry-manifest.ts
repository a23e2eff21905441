// The list a registry publishes of the newest version of each of its files (DADL spec 4.5). It is asked for a notice only:
// nothing is ever updated from it.
import * as z from 'zod'
import { compareVersions, parseVersion } from './version.ts'

/** `sha256` is of the file's bytes, in hexadecimal. */
const MANIFEST = z.strictObject({
  files: z.record(
    z.string(),
    z.strictObject({
      version: z.string().refine(text => parseVersion(text) !== undefined, 'expected MAJOR.MINOR or MAJOR.MINOR.PATCH'),
      sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits'),
    }),
  ),
})

/** `problem` where the manifest, or the version it is asked about, cannot be read: then nothing is known. */
export interface VersionNotice {
  readonly newer?: { readonly version: string; readonly sha256: string }
  readonly problem?: string
}

/** Whether a registry has a newer version of a file, found by its name there. A file without a version is not asked about. */
export function newerVersion(
  manifest: unknown,
  { file, version }: { readonly file: string; readonly version: string | undefined },
): VersionNotice {
  if (version === undefined) return {}
  const read = MANIFEST.safeParse(manifest)
  if (!read.success) {
    const [issue] = read.error.issues
    return { problem: `the registry manifest cannot be read: ${issue?.path.join('.')}: ${issue?.message}` }
  }
  const own = parseVersion(version)
  if (own === undefined) return { problem: `"${version}" is no version: expected MAJOR.MINOR or MAJOR.MINOR.PATCH` }
  const entry = Object.hasOwn(read.data.files, file) ? read.data.files[file] : undefined
  const latest = entry === undefined ? undefined : parseVersion(entry.version)
  return entry !== undefined && latest !== undefined && compareVersions(own, latest) < 0 ? { newer: entry } : {}
}
