import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface TestWorkspace {
  readonly path: string
  readonly write: (file: string, text: string) => void
  readonly remove: (file: string) => void
  readonly dispose: () => void
}

/** A temporary workspace holding the given files. */
export function makeWorkspace(files: Readonly<Record<string, string>>): TestWorkspace {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-test-')))
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), text)
  }
  for (const [file, text] of Object.entries(files)) write(file, text)
  return {
    path,
    write,
    remove: file => rmSync(join(path, file)),
    dispose: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** A manifest over a real program. `args` and `exec` are TOML as written. */
export function manifest(name: string, exec: readonly string[], extra = ''): string {
  return [
    '[tool]',
    `name = "${name}"`,
    'version = "1.0.0"',
    `binary = ${JSON.stringify(exec[0])}`,
    `description = "Test tool ${name}"`,
    'timeout_seconds = 20',
    extra,
    '[command]',
    `exec = ${JSON.stringify(exec)}`,
    '[output]',
    'format = "text"',
    '',
  ].join('\n')
}

/** Manifests of the kinds that load and do not run; `commands` is TOML below `[session.commands]`. */
export function sessionManifest(name: string, commands: string): string {
  return [
    '[tool]',
    `name = "${name}"`,
    'version = "1.0.0"',
    `description = "Test session ${name}"`,
    '[session]',
    'startup_command = "cat -u"',
    'ready_pattern = "> "',
    commands,
    '[output]',
    'format = "text"',
    '',
  ].join('\n')
}

export const CALLBACK =
  '[tool]\nname = "keep"\ndispatch = "callback"\n[args.confidence]\ntype = "number"\nrequired = true\n'

/** The files most end-to-end tests want: echoing, waiting, refusing, failing, needing approval. */
export const TOOLS: Readonly<Record<string, string>> = {
  'tools/say.clad.toml': manifest(
    'say',
    ['printf', '%s', '{text}'],
    '[args.text]\nrequired = true\ntype = "string"\nallow_whitespace = true\ndescription = "What to say"',
  ),
  'tools/wait.clad.toml': manifest(
    'wait',
    ['sleep', '{seconds}'],
    '[args.seconds]\ntype = "integer"\nmin = 1\nmax = 600\ndefault = 300',
  ),
  'tools/fail.clad.toml': manifest('fail', ['ls', '--no-such-flag']),
  'tools/launch.clad.toml': manifest('launch', ['printf', 'launched'], 'risk_tier = "critical"'),
}
