import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export interface Program {
  readonly child: ChildProcess
  /** Its first line on stdout. */
  readonly line: string
  readonly stop: () => Promise<void>
}

/** Starts a Node program and waits for its first line. */
export async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
  })
  void ended.then(() => reject(new Error(`${args.join(' ')} ended before it was ready`)))
  return {
    child,
    line: await promise,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

export interface Gateway extends Program {
  readonly url: string
  readonly token: string
}

export async function startGateway(folder: string): Promise<Gateway> {
  return asGateway(folder, ['src/cli/main.ts', 'serve', '--json', '--listen', '127.0.0.1:0', folder])
}

/** The same, but nothing it records is kept. */
export async function startForgetful(folder: string, upstream: string): Promise<Gateway> {
  return asGateway(folder, ['bench/discard.ts', folder, upstream])
}

async function asGateway(folder: string, args: readonly string[]): Promise<Gateway> {
  const env = { TOOLCLAD_EVIDENCE_DIR: join(folder, 'evidence'), CREDENTIAL_TOKEN: 'a-token-of-some-length' }
  const program = await start(args, env)
  const { url, token } = JSON.parse(program.line)
  return { ...program, url, token }
}

export interface Workspace {
  readonly folder: string
  readonly dispose: () => void
}

export function makeWorkspace(files: Readonly<Record<string, string>>): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return { folder, dispose: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Resident memory in MiB; Linux only, NaN elsewhere. */
export function memoryOf({ child }: Program): number {
  try {
    const status = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}
