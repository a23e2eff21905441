import { join } from 'node:path'
import { GatewayError } from '../core/errors.ts'
import { createExclusive, ensurePrivateDir } from '../io/files.ts'

export interface EvidenceFile {
  /** Writes the captured bytes once. @throws GatewayError `evidence_unavailable` */
  readonly write: (bytes: Uint8Array) => Promise<string>
}

export interface EvidenceRequest {
  readonly root: string
  /** `{evidence_dir}/…{scan_id}`, judged at load; absent: the root itself. */
  readonly outputDir?: string | undefined
  readonly scanId: string
  readonly tool: string
  readonly extension: string
}

/** Bits that would let others change or replace evidence. */
const OTHERS_WRITE = 0o022
const OWNER_ONLY = 0o600

/**
 * Makes the place before the program runs, so that a run without its evidence cannot happen (ToolClad spec,
 * Platform-aware evidence directories): folders 0700, the file 0600, a link or somebody else's folder refused.
 * @throws GatewayError `evidence_unavailable`
 */
export async function prepareEvidence(request: EvidenceRequest): Promise<EvidenceFile> {
  const { root, scanId, tool, extension } = request
  let folder = root
  await ensureFolder(folder)
  for (const part of partsOf(request)) {
    folder = join(folder, part)
    await ensureFolder(folder)
  }
  const file = join(folder, `${scanId}-${tool}.${extension}`)
  return {
    write: async bytes => {
      try {
        await using handle = await createExclusive(file, OWNER_ONLY)
        await handle.writeFile(bytes)
        return file
      } catch (error) {
        const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
        throw new GatewayError('evidence_unavailable', `${file}: ${reason}`, { cause: error })
      }
    },
  }
}

function ensureFolder(folder: string): Promise<void> {
  return ensurePrivateDir(folder, { forbidden: OTHERS_WRITE, code: 'evidence_unavailable' })
}

function partsOf({ outputDir = '', scanId }: EvidenceRequest): readonly string[] {
  return outputDir
    .replace(/^\{evidence_dir\}/, '')
    .replaceAll('{scan_id}', scanId)
    .split('/')
    .filter(part => part !== '' && part !== '.')
}
