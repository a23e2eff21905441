// The templates of `[http]`: text with `{argument}` and `{_secret:NAME}` anywhere in it (reference/toolclad.md 5.1). They are
// taken apart once, when the manifest is loaded; what is put in later is never looked at again.
import type { Part } from '../../backends/http/binding.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import type { Argument } from './arguments.ts'
import type { Problems } from './problems.ts'
import { HTTP_PLACEHOLDER, INJECTED, SECRET_NAME } from './spec.ts'

export interface TemplateContext {
  readonly args: readonly Argument[]
  /** Argument names that could not be compiled; placeholders may name them without a second complaint. */
  readonly declared: ReadonlySet<string>
  readonly problems: Problems
}

export function compileTemplate(text: string, at: string, context: TemplateContext): readonly Part[] {
  const parts: Part[] = []
  // Sent as it stands it would tell the server what was meant to be hidden, and hide nothing.
  if (text.replaceAll(HTTP_PLACEHOLDER, '').includes('{_secret:'))
    context.problems.error('placeholder_unknown', at, 'a {_secret:NAME} is not closed')
  let end = 0
  for (const match of text.matchAll(HTTP_PLACEHOLDER)) {
    if (match.index > end) parts.push({ literal: text.slice(end, match.index) })
    const { secret, name = '' } = match.groups ?? {}
    parts.push(secret === undefined ? compileName(name, at, context) : compileSecret(secret, at, context))
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push({ literal: text.slice(end) })
  return parts
}

function compileName(name: string, at: string, { declared, problems }: TemplateContext): Part {
  const [scanId] = INJECTED
  if (name === scanId) return { injected: 'scan_id' }
  if (declared.has(name)) return { value: name }
  const near = nearest(name, [...declared, scanId])
  problems.error('placeholder_unknown', at, `template variable {${name}} names no argument${didYouMean(near)}`, near)
  return { literal: '' }
}

function compileSecret(name: string, at: string, { problems }: TemplateContext): Part {
  if (SECRET_NAME.test(name)) return { secret: name }
  problems.error('placeholder_unknown', at, `the name of a secret must be letters, digits and _, not "${name}"`)
  return { literal: '' }
}
