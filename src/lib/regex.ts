// Patterns out of foreign text, in RE2's syntax and run by an engine whose time grows with the input only.
import { RE2JS, RE2JSException } from 're2js'

export type CompiledPattern =
  | { readonly ok: true; readonly test: (text: string) => boolean }
  | { readonly ok: false; readonly message: string }

/** Instructions of a compiled program; matching costs at most this many steps a character. */
const MAX_PROGRAM = 5000

/**
 * A pattern that must match the whole text. It is compiled alone first, so that `a)|(?:.*` cannot leave the group it is
 * then put into.
 */
export function compileWhole(source: string): CompiledPattern {
  const alone = compileUnanchored(source)
  return alone.ok ? compileUnanchored(`^(?:${source})$`) : alone
}

/** A pattern that may match anywhere in the text, as in a JSON Schema. */
export function compileUnanchored(source: string): CompiledPattern {
  try {
    const program = RE2JS.compile(source)
    if (program.programSize() > MAX_PROGRAM) return { ok: false, message: 'the pattern is too large' }
    return { ok: true, test: text => program.test(text) }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return { ok: false, message: error.message.replace(/^error parsing regexp: /, '') }
  }
}

/**
 * True where RE2 and ECMA-262 (with the `u` flag) certainly agree on a pattern, so that it may be shown in a JSON Schema.
 * Left out because they differ: `.` and `\s` (line and space characters), `\b`, flags, look-around, named classes.
 */
export function isPortablePattern(source: string): boolean {
  if (!PORTABLE.test(source)) return false
  try {
    return new RegExp(source, 'u').source !== ''
  } catch {
    return false // not a pattern of ECMA-262
  }
}

const ESCAPE = String.raw`\\[dDwW.^$*+?()[\]{}|\\/]`
const CLASS_ITEM = String.raw`(?:[A-Za-z0-9_ .,:@#%=~;<>!&'"/*+?(){}|$]|${ESCAPE})`
const CLASS = String.raw`\[\^?-?(?:[A-Za-z0-9]-[A-Za-z0-9]|${CLASS_ITEM})+-?\]`
const LITERAL = String.raw`[A-Za-z0-9_ ,:@#%=~;<>!&'"/-]`
const PORTABLE = new RegExp(
  String.raw`^(?:${LITERAL}|${ESCAPE}|${CLASS}|\((?:\?:|(?!\?))|[)|^$]|[*+?]\??|\{\d{1,3}(?:,\d{0,3})?\}\??)*$`,
)
