// `[tool.limits]` (ToolClad spec, Tool-Level Hardening Keys): prlimit(1) sets them on itself and becomes the program.
import { join } from 'node:path'
import { executableStamp } from '../../io/files.ts'
import { hardLimit } from '../../io/own-limits.ts'
import type { Limits } from './binding.ts'
import { PATH } from './program.ts'

/** The option of prlimit(1), and the row of /proc/self/limits. */
const RESOURCES = [
  { key: 'nproc', option: 'nproc', row: 'Max processes' },
  { key: 'nofile', option: 'nofile', row: 'Max open files' },
  { key: 'fsize_bytes', option: 'fsize', row: 'Max file size' },
  { key: 'address_space_bytes', option: 'as', row: 'Max address space' },
  { key: 'cpu_seconds', option: 'cpu', row: 'Max cpu time' },
] as const

/** Where prlimit(1) is; undefined where this machine has none, and so cannot apply a limit. */
export function findLimiter(): string | undefined {
  if (process.platform !== 'linux') return undefined
  return PATH.split(':')
    .map(folder => join(folder, 'prlimit'))
    .find(file => executableStamp(file) !== undefined)
}

/** Undefined where nothing is limited. A limit is never above what this process may have itself: raising it is not ours to do. */
export function limitOptions(limits: Limits): readonly string[] | undefined {
  const options = RESOURCES.flatMap(({ key, option, row }) => {
    const declared = limits[key]
    return declared === undefined ? [] : [`--${option}=${Math.min(declared, hardLimit(row))}`]
  })
  return options.length === 0 ? undefined : options
}
