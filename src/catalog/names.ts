import { createHash } from 'node:crypto'

/** What MCP clients accept in a tool name (ruling gateway 1). */
const ALLOWED = /[^a-zA-Z0-9_-]/g
const MAX_LENGTH = 64
const SUFFIX_DIGITS = 6
/** Nobody finds a second tool for these. */
const LONG_SUFFIX_DIGITS = 24

/** The gateway's own tools; a described tool of that name is renamed. */
const RESERVED: ReadonlySet<string> = new Set(['search', 'execute', 'upload_file', 'discover_tools', 'execute_code'])

export interface NameRequest {
  /** The API or upstream server; empty for command-line tools, which keep their bare name. */
  readonly backend: string
  readonly tool: string
}

/**
 * The names clients see, in the order asked. Every clashing, reserved or over-long name gets a suffix that depends on
 * itself alone, so that a new file cannot take over a known name.
 */
export function exposedNames(requests: readonly NameRequest[]): readonly string[] {
  const wanted = requests.map(plainName)
  const counts = new Map<string, number>()
  for (const name of wanted) counts.set(name, (counts.get(name) ?? 0) + 1)
  const given = requests.map((request, index) => {
    const name = wanted[index] ?? ''
    const clear = counts.get(name) === 1 && !RESERVED.has(name) && name.length <= MAX_LENGTH
    return clear ? name : suffixed(name, request)
  })
  // Names may be chosen to meet the suffixed one of another tool. A plain one gives way; of suffixed ones each says more.
  const suffixes = new Map<string, number>()
  for (const [index, name] of given.entries())
    if (name !== wanted[index]) suffixes.set(name, (suffixes.get(name) ?? 0) + 1)
  return requests.map((request, index) => {
    const name = given[index] ?? ''
    const plain = wanted[index] ?? ''
    const met = (suffixes.get(name) ?? 0) > (name === plain ? 0 : 1)
    return met ? suffixed(plain, request, LONG_SUFFIX_DIGITS) : name
  })
}

/** The name without a suffix: `<backend>_<tool>`, or the tool's own; a command's is `<tool>.<command>`. */
export function plainName({ backend, tool }: NameRequest): string {
  return (backend === '' ? tool : `${backend}_${tool}`).replaceAll(ALLOWED, '_')
}

function suffixed(name: string, { backend, tool }: NameRequest, digits = SUFFIX_DIGITS): string {
  const digest = createHash('sha256').update(`${backend}\0${tool}`).digest('hex').slice(0, digits)
  return `${name.slice(0, MAX_LENGTH - digits - 1)}_${digest}`
}
