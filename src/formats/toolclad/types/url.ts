import { splitUrl } from '../../../lib/url.ts'
import type { SplitUrl } from '../../../lib/url.ts'
import type { TargetPolicy } from '../../../lib/ranges.ts'
import { toPointer } from '../../../lib/pointer.ts'
import { pathOf, readStrings } from '../section.ts'
import { DANGEROUS_SCHEMES, DEFAULT_SCHEMES, MAX_PORT, PORT, SCHEME } from '../spec.ts'
import { judgeHost, policyOf } from './host.ts'
import { compileHygiene } from './hygiene.ts'
import { accept, refuse } from './type.ts'
import type { ArgumentType, Judged, TypeContext } from './type.ts'

/** `scheme://host[:port]/…` without user information, passed on as written (ToolClad spec, Core Types; ruling 16). */
export const url: ArgumentType = {
  name: 'url',
  json: 'string',
  constraints: ['schemes'],
  compile: context => {
    const judgeHygiene = compileHygiene(context)
    const policy = policyOf(context)
    const schemes = readSchemes(context)
    return {
      judge: value => {
        if (value === '') return refuse('empty', 'must not be empty')
        const refused = judgeHygiene(value) ?? judgeScheme(value, schemes) ?? judgeAuthority(splitUrl(value), policy)
        return refused ?? accept(value)
      },
      schema: { type: 'string', minLength: 1 },
    }
  },
}

function readSchemes({ argument, problems }: TypeContext): readonly string[] {
  return (readStrings(argument, 'schemes') ?? DEFAULT_SCHEMES).map((written, index) => {
    const at = pathOf(argument, 'schemes') + toPointer([index])
    const scheme = written.toLowerCase()
    if (!SCHEME.test(scheme)) problems.error('wrong_type', at, `a scheme is written like "https", not "${written}"`)
    else if (DANGEROUS_SCHEMES.has(scheme))
      problems.warning('unused_key', at, `the scheme ${scheme} is refused even when it is listed`)
    return scheme
  })
}

/** Also of what has no `//`: `javascript:` is dangerous however it goes on. */
function judgeScheme(value: string, schemes: readonly string[]): Judged | undefined {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(value)?.[1]?.toLowerCase()
  if (scheme === undefined) return refuse('format', 'must be a URL such as https://example.com/')
  if (DANGEROUS_SCHEMES.has(scheme)) return refuse('scheme_dangerous', `must not have the scheme ${scheme}`)
  if (schemes.includes(scheme)) return undefined
  return refuse('scheme', `must have one of the schemes ${schemes.join(', ')}, not ${scheme}`)
}

function judgeAuthority(split: SplitUrl | undefined, policy: TargetPolicy): Judged | undefined {
  if (split === undefined) return refuse('format', 'must be a URL such as https://example.com/')
  const { user, host, port } = split
  if (user !== undefined) return refuse('userinfo', 'must not contain a user name or password')
  if (host === '') return refuse('format', 'must name a host')
  if (port !== undefined && !(PORT.test(port) && isPort(port)))
    return refuse('format', 'must have a port of 1 to 65535, or none')
  const refused = judgeHost(host, policy)
  return refused?.ok === false ? refuse(refused.fence, `the host ${refused.message}`) : undefined
}

function isPort(digits: string): boolean {
  return !(digits.length > 1 && digits.startsWith('0')) && Number(digits) >= 1 && Number(digits) <= MAX_PORT
}
