// Kinds of tools that load, validate and give schemas, and that this gateway does not run: they are not offered to clients.
import type { Backend, Withheld } from '../backend.ts'

/** `[session]` (ToolClad spec, Session mode; rulings ToolClad 24 and the contract of the library). */
export const session = withheld('session', notExecutable('session'))

/** `[browser]` (ToolClad spec, Browser mode). */
export const browser = withheld('browser', notExecutable('browser'))

/** `dispatch = "callback"`: whoever embeds the library runs it (ruling ToolClad 5). */
export const callback = withheld('callback', {
  code: 'callback',
  reason:
    'dispatch = "callback" leaves the running to the program that embeds it: only the library sallyport/toolclad hands its values on',
})

function notExecutable(mode: 'session' | 'browser'): Withheld {
  return {
    code: 'not_executable',
    reason: `${mode} mode is parsed but not yet executable in the reference implementation, and this version of Sallyport does not run it either`,
  }
}

function withheld<K extends string>(kind: K, why: Withheld) {
  const open = (): Backend => ({
    kind,
    prepare: async () => ({
      withheld: why,
      diagnostics: [],
      callable: { resolve: async () => ({ status: 'denied', ...why, preview: { kind } }) },
    }),
    close: () => Promise.resolve(), // nothing was started
  })
  return { kind, open }
}
