import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')
/** The Node the set-up brought; plain `node` may be older. */
export const NODE = process.execPath
export const CLI = join(ROOT, 'src', 'cli', 'main.ts')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Runs the command line to its end. */
export function sallyport(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return run(NODE, [CLI, ...args], options)
}

export async function run(file: string, args: readonly string[], { cwd, env, input }: RunOptions = {}): Promise<Ended> {
  const child = spawn(file, args, { cwd: cwd ?? ROOT, env: { ...process.env, NO_COLOR: '1', ...env } })
  child.stdin.on('error', () => {}) // it may end without reading all, or anything
  child.stdin.end(input ?? '')
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  return { code: typeof code === 'number' ? code : null, stdout, stderr }
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = ''
  stream.setEncoding('utf8')
  for await (const chunk of stream) all += String(chunk)
  return all
}

export interface Served {
  readonly url: string
  readonly token: string
  readonly tools: readonly string[]
  readonly child: ChildProcess
  /** SIGTERM, then its exit code. */
  readonly stop: () => Promise<number | null>
}

/** Starts `serve --json`, on a free port unless other flags are given, and waits for its line. */
export async function serve(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = ['--listen', '127.0.0.1:0'],
): Promise<Served> {
  const child = spawn(NODE, [CLI, 'serve', '--json', ...flags, folder], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let problems = ''
  child.stderr.setEncoding('utf8').on('data', chunk => (problems += String(chunk)))
  const ended = once(child, 'exit')
  const line = await Promise.race([
    firstLine(child.stdout),
    ended.then(([code]) => Promise.reject(new Error(`serve ended with ${String(code)}: ${problems}`))),
  ])
  child.stdout.resume()
  const { url, token, tools } = JSON.parse(line)
  return {
    url,
    token,
    tools,
    child,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      return child.exitCode
    },
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  stream.setEncoding('utf8')
  let all = ''
  return new Promise(resolve => {
    stream.on('data', chunk => {
      all += String(chunk)
      if (all.includes('\n')) resolve(all.slice(0, all.indexOf('\n')))
    })
  })
}

/** A port nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address === 'string' || address === null) throw new TypeError('not listening on TCP')
  return address.port
}

interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** Living processes (zombies left out) whose command line contains `part`. Linux only: an empty list elsewhere. */
export function processesWith(part: string): readonly ProcessRow[] {
  let pids: string[]
  try {
    pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  } catch {
    return []
  }
  return pids.flatMap(pid => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return state !== 'Z' && command.includes(part) ? [{ pid: Number(pid), parent: Number(parent), command }] : []
    } catch {
      return [] // it ended meanwhile
    }
  })
}

/** Polls until the condition holds; the test fails by its message when it does not in time. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> {
  const end = Date.now() + ms
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited ${ms} ms in vain until ${what}`)
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}
