// What `doctor` looks at. Each check is a row; nothing is made, written or run.
import { isLoopback } from '../config/listen.ts'
import type { Settings } from '../config/settings.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { plainName } from '../catalog/names.ts'
import type { Inspection, OfferedTool } from '../gateway.ts'
import { executableStamp, lookAtPrivateDir } from '../io/files.ts'

/** One finding, for people and programs. */
export interface Check {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'error'
  readonly message: string
  /** Where, for a problem of a file. */
  readonly file?: string
  readonly line?: number
}

export function checkNode(version: string): Check {
  const recent = Number(version.split('.')[0]) >= OLDEST_NODE
  return recent
    ? { check: 'node', status: 'ok', message: `Node ${version}` }
    : { check: 'node', status: 'error', message: `Node ${version}: at least ${OLDEST_NODE} is needed` }
}

const OLDEST_NODE = 24

/** The folders and the machine a gateway with these settings would use. */
export async function checkSettings(settings: Settings): Promise<readonly Check[]> {
  const { workspace, configFile, stateDir, evidenceDir, listen, deployment } = settings
  const from = configFile === undefined ? 'no sallyport.yaml, so the defaults hold' : configFile
  const where = `${listen.host}:${listen.port}`
  const exempt = deployment.allowInternal.length
  return [
    { check: 'configuration', status: 'ok', message: `${workspace}: ${from}` },
    await checkFolder('state', stateDir, 0o077),
    await checkFolder('evidence', evidenceDir, 0o022),
    isLoopback(listen)
      ? { check: 'listen', status: 'ok', message: `${where}, for this machine alone` }
      : { check: 'listen', status: 'warning', message: `${where} can be reached from other machines, unencrypted` },
    exempt === 0
      ? { check: 'network', status: 'ok', message: 'block_internal keeps tools from every internal range' }
      : { check: 'network', status: 'warning', message: `${exempt} internal ranges are exempt from block_internal` },
    checkLimits(process.platform),
  ]
}

async function checkFolder(check: string, path: string, forbidden: number): Promise<Check> {
  const found = await lookAtPrivateDir(path, { forbidden })
  if (found.status === 'refused') return { check, status: 'error', message: `${path} ${found.why}` }
  return { check, status: 'ok', message: found.status === 'usable' ? path : `${path}, which is made when it is needed` }
}

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit', '/usr/local/bin/prlimit']

/** Where limits cannot be applied, a tool that declares them is refused. */
function checkLimits(platform: string): Check {
  const check = 'limits'
  if (platform === 'linux' && PRLIMIT.some(path => executableStamp(path) !== undefined))
    return { check, status: 'ok', message: '[tool.limits] can be applied' }
  const why = platform === 'linux' ? 'there is no prlimit (package util-linux)' : `${platform} has no prlimit`
  return { check, status: 'warning', message: `${why}: calls of tools with [tool.limits] are refused` }
}

/** A scope file that cannot be used refuses every call of a tool with `scope_check` (ruling ToolClad 18). */
export function checkScope({ scope }: Inspection): readonly Check[] {
  const check = 'scope'
  if (scope === undefined)
    return [{ check, status: 'ok', message: 'no scope file, so calls of tools with scope_check are refused' }]
  const { file, problems } = scope
  if (problems.length === 0) return [{ check, status: 'ok', message: file }]
  return problems.map(found => ({ ...problem(found), check, status: 'error' }))
}

/** The files of a workspace, and what clients get of them. */
export function checkTools({ tools, withheld, problems }: Inspection): readonly Check[] {
  return [
    {
      check: 'tools',
      status: 'ok',
      message: `${tools.length === 1 ? '1 tool is' : `${tools.length} tools are`} offered`,
    },
    ...problems.map(problem),
    ...withheld.map(({ name, withheld: { reason } }): Check => ({
      check: 'offer',
      status: 'warning',
      message: `${name} is not offered: ${reason}`,
    })),
    ...[...tools, ...withheld].filter(isRenamed).map(({ name, tool }): Check => ({
      check: 'name',
      status: 'warning',
      message: `${wanted(tool)} is called ${name}: its own name is reserved, too long, or taken by another tool`,
    })),
  ]
}

function problem({ severity, code, message, file, line }: Diagnostic): Check {
  const place = file === undefined ? {} : { file, line }
  return { check: 'file', status: severity, message: `${message} [${code}]`, ...place }
}

function isRenamed({ name, tool }: OfferedTool): boolean {
  return name !== wanted(tool)
}

function wanted({ backend = '', name }: OfferedTool['tool']): string {
  return plainName({ backend, tool: name })
}
