// Names that have to lead somewhere in the same document (DADL spec 4.2, 6.7, 12.3; ruling DADL 26).
import { toPointer } from '../../../lib/pointer.ts'
import type { Code } from '../problems.ts'
import { compositeAt, toolAt } from './places.ts'
import type { Rule, RuleContext } from './rule.ts'
import { suggesting } from './suggesting.ts'

export const references: Rule = context => {
  const { document, names, nearest, error, warn } = context
  const { tools, composites = {}, hints = {} } = document.backend
  const all = new Set([...names.tools, ...names.composites])
  for (const [name, { replaced_by: successor, depends_on: needed = [] }] of Object.entries(tools)) {
    if (successor !== undefined)
      find(successor, all, {
        report: error,
        nearest,
        code: 'replaced_by_unknown',
        at: `${toolAt(name)}/replaced_by`,
        key: 'replaced_by',
      })
    dependsOn(context, { at: toolAt(name), needed, all })
  }
  for (const [name, { delegates = [], depends_on: needed = [] }] of Object.entries(composites)) {
    for (const [index, delegate] of delegates.entries())
      find(delegate, names.tools, {
        report: error,
        nearest,
        code: 'delegates_unknown',
        at: `${compositeAt(name)}/delegates/${index}`,
        key: 'delegates',
      })
    dependsOn(context, { at: compositeAt(name), needed, all })
  }
  for (const name of Object.keys(hints))
    find(name, all, {
      report: warn,
      nearest,
      code: 'hint_unknown',
      at: `/backend/hints${toPointer([name])}`,
      key: 'hints',
    })
}

function dependsOn(
  { nearest, warn }: RuleContext,
  { at, needed, all }: { readonly at: string; readonly needed: readonly string[]; readonly all: ReadonlySet<string> },
): void {
  for (const [index, name] of needed.entries())
    find(name, all, {
      report: warn,
      nearest,
      code: 'depends_unknown',
      at: `${at}/depends_on/${index}`,
      key: 'depends_on',
    })
}

interface Reference {
  readonly report: RuleContext['error']
  readonly nearest: RuleContext['nearest']
  readonly code: Code
  readonly at: string
  readonly key: string
}

function find(name: string, known: ReadonlySet<string>, { report, nearest, code, at, key }: Reference): void {
  if (known.has(name)) return
  const meant = nearest(name, known)
  const what = code === 'delegates_unknown' ? 'tool' : 'tool or composite'
  report(code, at, suggesting(`${key}: the document has no ${what} "${name}"`, meant))
}

/** Both become methods of one interface. */
export const uniqueNames: Rule = ({ document, names, error }) => {
  for (const name of Object.keys(document.backend.composites ?? {}))
    if (names.tools.has(name)) error('duplicate_name', compositeAt(name), `"${name}" is also the name of a tool`)
}
