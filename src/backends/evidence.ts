import { join } from 'node:path'
import { GatewayError } from '../core/errors.ts'
import { createExclusive, ensurePrivateDir } from '../io/files.ts'

export interface EvidenceFolder {
  readonly path: string
  /** Keeps bytes under the scan id, with the extension. @throws GatewayError `evidence_unavailable` */
  readonly write: (bytes: Uint8Array, extension: string) => Promise<string>
}

export interface EvidenceRequest {
  readonly root: string
  /** `{evidence_dir}/…{scan_id}`, judged at load; absent: the root itself. */
  readonly outputDir?: string | undefined
  readonly scanId: string
  readonly tool: string
}

/** Bits that would let others change or replace evidence. */
const OTHERS_WRITE = 0o022
const OWNER_ONLY = 0o600

/**
 * Makes the place before the program runs, so that a run without its evidence cannot happen (ToolClad spec,
 * Platform-aware evidence directories): folders 0700, the file 0600, a link or somebody else's folder refused.
 * @throws GatewayError `evidence_unavailable`
 */
export async function prepareEvidence(request: EvidenceRequest): Promise<EvidenceFolder> {
  const { root, scanId, tool } = request
  let folder = root
  await ensureFolder(folder)
  for (const part of partsOf(request)) {
    folder = join(folder, part)
    await ensureFolder(folder)
  }
  return {
    path: folder,
    write: async (bytes, extension) => {
      const file = join(folder, `${scanId}-${tool}.${extension}`)
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

/** Where a run keeps its evidence; the folder itself is made by `prepareEvidence`. */
export function evidenceFolder(request: EvidenceRequest): string {
  return join(request.root, ...partsOf(request))
}

function partsOf({ outputDir = '', scanId }: EvidenceRequest): readonly string[] {
  return outputDir
    .replace(/^\{evidence_dir\}/, '')
    .replaceAll('{scan_id}', scanId)
    .split('/')
    .filter(part => part !== '' && part !== '.')
}
