import { createHash } from 'node:crypto'
import { IDENTIFIER } from './text.ts'

/** The gateway's own members of `api`, and the APIs that make room for them (ruling DADL 32). */
const OWN = /^(?:search|describe|result|cli)(?:_api)*$/

/** What an API is called in code, `api.<name>`. No two APIs share one. */
export function codeName(api: string): string {
  return OWN.test(api) ? `${api}_api` : api
}

/** The namespace an API's declarations stand in; that of no other API. */
export function namespaceName(api: string): string {
  if (/^[a-z][a-z0-9-]*$/.test(api) && !RESERVED.has(api)) return api.replaceAll('-', '$')
  if (IDENTIFIER.test(api) && !api.includes('$') && !RESERVED.has(api)) return api
  const digest = createHash('sha256').update(api).digest('hex').slice(0, 8)
  return `${toIdentifier(api)}$$${digest}`
}

/** An identifier for every type, its own name wherever that is one: two are never the same. */
export function typeNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const all = [...names].toSorted((a, b) => (a < b ? -1 : 1))
  const given = new Map(all.filter(isFree).map(name => [name, name]))
  const taken = new Set(given.values())
  const counts = new Map<string, number>()
  for (const name of all.filter(other => !given.has(other))) {
    const plain = toIdentifier(name)
    let count = counts.get(plain) ?? 0
    let identifier
    do identifier = ++count === 1 ? plain : `${plain}_${count}`
    while (taken.has(identifier) || RESERVED.has(identifier))
    counts.set(plain, count)
    taken.add(identifier)
    given.set(name, identifier)
  }
  return given
}

function isFree(name: string): boolean {
  return IDENTIFIER.test(name) && !RESERVED.has(name)
}

function toIdentifier(name: string): string {
  const plain = name.replaceAll(/[^\w$]/gu, '_')
  return IDENTIFIER.test(plain) ? plain : `_${plain}`
}

/** What the language, its library where we use it, and the generated text call their own. */
const RESERVED: ReadonlySet<string> = new Set(
  `abstract any arguments as asserts async await bigint boolean break case catch class const continue debugger declare default
  delete do else enum eval export extends false finally for from function get global globalThis if implements import in infer
  instanceof interface intrinsic is keyof let module namespace never new null number object of package private protected
  public readonly require return satisfies set static string super switch symbol this throw true try type typeof undefined
  unique unknown using var void while with yield
  Awaited Parameters Promise ReturnType
  Apis Envelope Paged Tool Tools api`.split(/\s+/),
)
