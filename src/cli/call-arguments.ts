import { resolve } from 'node:path'
import { GatewayError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { readText } from '../io/files.ts'
import { parseJsonArguments, parsePairs, UsageError } from './args.ts'
import type { Args, Flag } from './args.ts'
import type { Cli } from './command.ts'

export const ARG_FLAG = {
  arg: { value: 'K=V', repeatable: true, does: 'an argument; all after the first "=" is taken as it stands' },
} as const satisfies Readonly<Record<string, Flag>>

export const ARGS_FLAG = {
  args: { value: 'JSON|@FILE|-', does: 'arguments as a JSON object, from a file, or from standard input' },
} as const satisfies Readonly<Record<string, Flag>>

const MAX_BYTES = 16 << 20

/** The arguments of a call: the object of `--args`, then every `--arg` over it. @throws UsageError, GatewayError */
export async function callArguments(args: Args<'arg' | 'args'>, cli: Cli): Promise<JsonObject> {
  const pairs = parsePairs(args.values('arg'))
  const given = args.value('args')
  return given === undefined ? pairs : { ...(await objectOf(given, cli)), ...pairs }
}

async function objectOf(given: string, cli: Cli): Promise<JsonObject> {
  if (given === '-') return parseJsonArguments(await readStdin(cli), '--args -')
  if (!given.startsWith('@')) return parseJsonArguments(given, '--args')
  const file = resolve(cli.cwd, given.slice(1))
  return parseJsonArguments(await readText(file, { maxBytes: MAX_BYTES }), `--args ${given}`)
}

async function readStdin({ stdin, signal }: Cli): Promise<string> {
  const leave = (): void => void stdin.destroy()
  signal.addEventListener('abort', leave, { once: true })
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of stdin) {
      const bytes: unknown = chunk
      if (!(bytes instanceof Uint8Array)) continue
      chunks.push(bytes)
      size += bytes.byteLength
      if (size > MAX_BYTES) throw new UsageError(`--args -: more than ${MAX_BYTES} bytes`)
    }
  } catch (error) {
    throw signal.aborted ? new GatewayError('cancelled', '', { cause: error }) : error
  } finally {
    signal.removeEventListener('abort', leave)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new UsageError('--args -: expected UTF-8') // the decoder knows no more than that
  }
}
