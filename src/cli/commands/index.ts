import type { CommandRow } from '../command.ts'

/** Every command, in the order of help. The rest of a command is loaded when it is used: what one needs, the others start without. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'serve',
    summary: 'serve the tools to MCP clients, over HTTP or stdio',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'list',
    summary: 'show the tools that serve would offer, and those it would not',
    load: async () => (await import('./list.ts')).list,
  },
  {
    name: 'schema',
    summary: 'print a tool as MCP clients see it',
    load: async () => (await import('./schema.ts')).schema,
  },
  {
    name: 'types',
    summary: 'print the TypeScript that code is written against',
    load: async () => (await import('./types.ts')).types,
  },
  {
    name: 'show',
    summary: 'show what an API file says: coverage, setup, credentials, examples, hints, its tools by access',
    load: async () => (await import('./show.ts')).show,
  },
  {
    name: 'test',
    summary: 'judge arguments and show what would run; nothing is run',
    load: async () => (await import('./test.ts')).test,
  },
  {
    name: 'run',
    summary: 'run a command-line tool and print its evidence envelope',
    load: async () => (await import('./run.ts')).run,
  },
  {
    name: 'call',
    summary: 'call any tool of the catalogue, as a client would',
    load: async () => (await import('./call.ts')).call,
  },
  {
    name: 'validate',
    summary: 'check manifests and API documents and say what is wrong, where, and what was meant',
    load: async () => (await import('./validate.ts')).validate,
  },
  { name: 'init', summary: 'write a manifest to start from', load: async () => (await import('./init.ts')).init },
  {
    name: 'doctor',
    summary: 'check this workspace and say what is wrong, and what is not offered and why',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'audit',
    summary: 'read the record of every call, and prove that it is whole',
    load: async () => (await import('./audit.ts')).audit,
  },
  { name: 'version', summary: 'print the version', load: async () => (await import('./version.ts')).version },
  { name: 'help', summary: 'explain a command', load: async () => (await import('./help.ts')).helpCommand(COMMANDS) },
]
