import { readFile } from 'node:fs/promises'
import type { AuditWriter } from '../storage/store.ts'

type Identity = Pick<AuditWriter, 'pid' | 'processStart' | 'bootId'>

const UNKNOWN = 'unknown'

/** This process, so that a later one with the same pid is not taken for it. Without /proc only the pid tells. */
export async function processIdentity(): Promise<Identity> {
  const { pid } = process
  return { pid, processStart: (await startOf(pid)) ?? UNKNOWN, bootId: await bootId() }
}

/** Whether the process that wrote under this identity still lives. */
export async function isAlive({ pid, processStart, bootId: boot }: Identity): Promise<boolean> {
  if (boot !== (await bootId())) return false
  if (processStart !== UNKNOWN) return (await startOf(pid)) === processStart
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Clock ticks from boot to the start of a process; undefined where it is gone, or only waits to be collected. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    // The second field, the program's name in brackets, may hold anything; fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state] = fields
    return state === 'Z' || state === 'X' ? undefined : fields[19]
  } catch {
    return undefined // no such process, or no /proc at all
  }
}

async function bootId(): Promise<string> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'latin1')).trim()
  } catch {
    return UNKNOWN
  }
}
