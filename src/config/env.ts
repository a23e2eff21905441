import { GatewayError } from '../core/errors.ts'
import { Secret } from '../core/secret.ts'
import { LISTEN_EXPECTED, parseListen } from './listen.ts'
import type { Listen } from './listen.ts'

/** What the environment says; a variable set to nothing counts as unset, except the token. */
export interface Environment extends ToolEnvironment {
  readonly token?: Secret
  readonly listen?: Listen
  readonly state?: string
}

/** What it says of running tools. */
export interface ToolEnvironment {
  readonly evidenceDir?: string
  readonly killGraceMs?: number
  /** The scope file, instead of the one of the project (ToolClad spec, Scope Enforcement). */
  readonly scopeFile?: string
  /** Handed on to child processes (ruling ToolClad 21). */
  readonly inherited: { readonly lang?: string; readonly lcAll?: string; readonly tz?: string }
  /** What was ignored, and why. */
  readonly warnings: readonly string[]
}

/**
 * The one reader of the environment.
 * @throws GatewayError `config_invalid` for a token or an address that cannot be used
 */
export function readEnvironment(env: Variables = process.env): Environment {
  return {
    ...present({
      token: token(env['SALLYPORT_TOKEN']),
      listen: listen(variable('SALLYPORT_LISTEN', env)),
      state: variable('SALLYPORT_STATE', env),
    }),
    ...readToolEnvironment(env),
  }
}

/** The same without what only a gateway needs; nothing in it is refused. */
export function readToolEnvironment(env: Variables = process.env): ToolEnvironment {
  const read = (name: string): string | undefined => variable(name, env)
  const grace = killGrace(read('TOOLCLAD_KILL_GRACE_MS'))
  return {
    ...present({
      evidenceDir: read('TOOLCLAD_EVIDENCE_DIR'),
      scopeFile: read('TOOLCLAD_SCOPE_FILE'),
      killGraceMs: grace.ms,
    }),
    inherited: present({ lang: env['LANG'], lcAll: env['LC_ALL'], tz: env['TZ'] }),
    warnings: grace.warnings,
  }
}

function variable(name: string, env: Variables): string | undefined {
  return env[name] === '' ? undefined : env[name]
}

/** One variable, for the store of credentials alone. */
export function readCredential(name: string, env: Variables = process.env): string | undefined {
  return env[name]
}

/** Whether the person asked for no colours (https://no-color.org). */
export function wantsNoColor(env: Variables = process.env): boolean {
  return env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== ''
}

type Variables = Readonly<Record<string, string | undefined>>

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(values: T): Present<T>
function present(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** A token goes into an HTTP header, so visible ASCII; an empty one would be an open door. */
function token(text: string | undefined): Secret | undefined {
  if (text === undefined) return undefined
  if (/^[\x21-\x7e]+$/.test(text)) return new Secret(text)
  const found = text === '' ? 'it is set, but empty' : 'it holds white space, control or non-ASCII characters'
  throw new GatewayError('config_invalid', `SALLYPORT_TOKEN: ${found}; unset it to have a token generated`)
}

function listen(text: string | undefined): Listen | undefined {
  const parsed = text === undefined ? undefined : parseListen(text)
  if (text === undefined || parsed !== undefined) return parsed
  throw new GatewayError('config_invalid', `SALLYPORT_LISTEN is ${JSON.stringify(text)}: ${LISTEN_EXPECTED}`)
}

/** Ruling ToolClad 21: an invalid value means the default, with a warning. */
function killGrace(text: string | undefined): { readonly ms?: number; readonly warnings: readonly string[] } {
  if (text === undefined) return { warnings: [] }
  if (/^\d{1,6}$/.test(text)) return { ms: Number(text), warnings: [] }
  const warning = `TOOLCLAD_KILL_GRACE_MS is ${JSON.stringify(text)}: expected whole milliseconds from 0 to 999999; the default is used`
  return { warnings: [warning] }
}
