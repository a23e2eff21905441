import { basename, join } from 'node:path'
import { executableStamp, programKind, realPath } from '../../io/files.ts'

/** The fixed PATH of every child, and where a program named without a slash is looked for (ruling ToolClad 4). */
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export type Program =
  | { readonly status: 'found'; readonly file: string }
  | { readonly status: 'missing'; readonly reason: string }
  | { readonly status: 'interpreter'; readonly reason: string }

export interface ProgramOptions {
  /** As the manifest names it: a bare name or an absolute path. */
  readonly name: string
  readonly allowInterpreter: boolean
  /** A script counts as an interpreter: an executor (ruling ToolClad 3). */
  readonly refuseScripts: boolean
  readonly isInterpreter: (name: string) => boolean
}

/**
 * Finds a program again at each run: the file may have been replaced, or be a link that now ends in an interpreter
 * (ruling ToolClad 3). What was judged is not judged anew while the same file stands there.
 */
export function openProgram(options: ProgramOptions): () => Promise<Program> {
  const { name } = options
  const candidates = name.startsWith('/') ? [name] : PATH.split(':').map(folder => join(folder, name))
  let judged: { readonly stamp: string; readonly file: string; readonly program: Program } | undefined
  return async () => {
    for (const file of candidates) {
      const stamp = executableStamp(file)
      if (stamp === undefined) continue
      if (judged?.stamp !== stamp || judged.file !== file) judged = { stamp, file, program: await judge(file, options) }
      return judged.program
    }
    const where = name.startsWith('/') ? 'there is no such program' : `it is in none of ${PATH}`
    return { status: 'missing', reason: `The program ${name} was not found: ${where}.` }
  }
}

async function judge(
  file: string,
  { name, allowInterpreter, refuseScripts, isInterpreter }: ProgramOptions,
): Promise<Program> {
  const real = (await realPath(file)) ?? file
  // A file that is no program would be handed to a shell by the system.
  const kind = await programKind(real)
  if (kind === 'none') return { status: 'missing', reason: `${file} is not a program the system can run.` }
  const isScript = refuseScripts && kind === 'script'
  if (allowInterpreter || !(isScript || isInterpreter(basename(real)))) return { status: 'found', file }
  if (isScript)
    return {
      status: 'interpreter',
      reason: `${name} is a script, which its interpreter runs: [tool] allow_interpreter = true permits it.`,
    }
  const reason = `${name} is ${real}, which runs what it is given: [tool] allow_interpreter = true permits it.`
  return { status: 'interpreter', reason }
}
