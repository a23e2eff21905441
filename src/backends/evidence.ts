import { join } from 'node:path'
import { GatewayError } from '../core/errors.ts'
import { createOnce, ensurePrivateDirNow } from '../io/files.ts'

export interface EvidenceFolder {
  readonly path: string
  /** Makes a file under the scan id, with the extension. @throws GatewayError `evidence_unavailable` */
  readonly open: (extension: string) => Promise<EvidenceFile>
  /** The same, written too; the path. @throws GatewayError `evidence_unavailable` */
  readonly write: (bytes: Uint8Array, extension: string) => Promise<string>
}

export interface EvidenceFile {
  readonly path: string
  /** The content, once; the file is closed then. @throws GatewayError `evidence_unavailable` */
  readonly write: (bytes: Uint8Array) => Promise<void>
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
export function prepareEvidence(request: EvidenceRequest): EvidenceFolder {
  const { root, scanId, tool } = request
  let folder = root
  ensureFolder(folder)
  for (const part of partsOf(request)) {
    folder = join(folder, part)
    ensureFolder(folder)
  }
  const open = (extension: string): Promise<EvidenceFile> => openFile(join(folder, `${scanId}-${tool}.${extension}`))
  return {
    path: folder,
    open,
    write: async (bytes, extension) => {
      const file = await open(extension)
      await file.write(bytes)
      return file.path
    },
  }
}

async function openFile(path: string): Promise<EvidenceFile> {
  const unavailable = (error: unknown): never => {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new GatewayError('evidence_unavailable', `${path}: ${reason}`, { cause: error })
  }
  const write = await createOnce(path, OWNER_ONLY).catch(unavailable)
  return { path, write: bytes => write(bytes).catch(unavailable) }
}

function ensureFolder(folder: string): void {
  ensurePrivateDirNow(folder, { forbidden: OTHERS_WRITE, code: 'evidence_unavailable' })
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
