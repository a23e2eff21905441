// What the public registry asks of a document beyond being one (DADL spec 15.2, last paragraph; ruling DADL 9).
import { toPointer } from '../../lib/pointer.ts'
import { scanHint } from './hint-scan.ts'
import { membersOf } from './members.ts'

export interface PublishProblem {
  readonly code: 'publish_missing' | 'hint_suspicious'
  readonly message: string
  /** JSON Pointer: of what is wrong, or of where something is missing. */
  readonly path: string
}

/** What keeps a document out of the registry, all at once; none of what only makes it no document. */
export function publishProblems(document: unknown): readonly PublishProblem[] {
  const top = membersOf(document)
  const backend = membersOf(top.get('backend'))
  return [
    ...REQUIRED.filter(({ key, isGiven }) => !isGiven(top.get(key))).map(({ key, expected }) =>
      missing(top.has(key) ? toPointer([key]) : '', `${key}: the registry needs ${expected}`),
    ),
    ...['tools', 'composites'].flatMap(section => withoutAccess(section, backend.get(section))),
    ...[...membersOf(backend.get('hints'))].flatMap(([tool, hints]) => suspiciousHints(tool, hints)),
  ]
}

const REQUIRED = [
  {
    key: 'credits',
    expected: 'a list of who made this, each a text',
    isGiven: (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isText),
  },
  { key: 'source_name', expected: 'the name of the API that is described', isGiven: isText },
  {
    key: 'source_url',
    expected: 'the http or https address of its documentation',
    isGiven: (value: unknown) => isText(value) && /^https?:\/\//.test(value) && URL.canParse(value),
  },
  {
    key: 'date',
    expected: 'the day of the last change, as YYYY-MM-DD',
    isGiven: (value: unknown) => isText(value) && isDay(value),
  },
] as const

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function isDay(text: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  return day !== undefined && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

/** DADL spec 6.4: without it, nothing that goes by access restricts a tool. */
function withoutAccess(section: string, tools: unknown): readonly PublishProblem[] {
  return [...membersOf(tools)].flatMap(([name, tool]) => {
    const members = membersOf(tool)
    const path = toPointer(['backend', section, name, ...(members.has('access') ? ['access'] : [])])
    const message = `access: the registry needs it on every tool and composite; "${name}" has none`
    return isText(members.get('access')) ? [] : [missing(path, message)]
  })
}

function suspiciousHints(tool: string, hints: unknown): readonly PublishProblem[] {
  return [...membersOf(hints)].flatMap(([key, value]) =>
    (typeof value === 'string' ? scanHint(value) : [])
      .filter(({ kind }) => kind !== 'instruction')
      .map(({ message }) => ({
        code: 'hint_suspicious',
        message: `the hint "${key}" of "${tool}" holds ${message}`,
        path: toPointer(['backend', 'hints', tool, key]),
      })),
  )
}

function missing(path: string, message: string): PublishProblem {
  return { code: 'publish_missing', message, path }
}
