// The official MCP clients, both lines over both transports, behind one small face: what an end-to-end test asks of any client.
import { Client as V2Client, StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client'
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { CLI, NODE } from './processes.ts'

export interface TestClient {
  /** The protocol revision that was agreed. */
  readonly revision: () => string | undefined
  readonly list: () => Promise<readonly ListedTool[]>
  readonly call: (name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal) => Promise<CallResult>
  readonly close: () => Promise<void>
}

export interface ListedTool {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: object
  readonly outputSchema?: object | undefined
}

export interface CallResult {
  readonly isError: boolean
  readonly text: string
  readonly structured: unknown
}

export type Target =
  | { readonly kind: 'stdio'; readonly folder: string; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'http'; readonly url: string; readonly token: string }

export interface ClientKind {
  readonly name: string
  readonly connect: (target: Target, onListChanged?: () => void) => Promise<TestClient>
}

export const CLIENTS: readonly ClientKind[] = [
  { name: 'SDK v1 (2025-11-25)', connect: connectV1 },
  { name: 'SDK v2 (2025-11-25)', connect: (target, onListChanged) => connectV2(target, 'legacy', onListChanged) },
  { name: 'SDK v2 (2026-07-28)', connect: (target, onListChanged) => connectV2(target, 'auto', onListChanged) },
]

const INFO = { name: 'sallyport-test', version: '1' }

async function connectV1(target: Target, onListChanged: () => void = () => {}): Promise<TestClient> {
  const client = new V1Client(INFO)
  client.setNotificationHandler(ToolListChangedNotificationSchema, onListChanged)
  await client.connect(
    target.kind === 'stdio' ? new V1Stdio(command(target)) : new V1Http(new URL(target.url), headers(target)),
  )
  return {
    revision: () => undefined,
    list: async () => (await client.listTools()).tools,
    call: async (name, args, signal) =>
      flatten(await client.callTool({ name, arguments: args }, undefined, signal === undefined ? {} : { signal })),
    close: () => client.close(),
  }
}

async function connectV2(
  target: Target,
  mode: 'legacy' | 'auto',
  onListChanged: () => void = () => {},
): Promise<TestClient> {
  const client = new V2Client(INFO, {
    versionNegotiation: { mode },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onListChanged } },
  })
  await client.connect(
    target.kind === 'stdio' ? new V2Stdio(command(target)) : new V2Http(new URL(target.url), headers(target)),
  )
  return {
    revision: () => client.getNegotiatedProtocolVersion(),
    list: async () => (await client.listTools()).tools,
    call: async (name, args, signal) =>
      flatten(await client.callTool({ name, arguments: { ...args } }, signal === undefined ? {} : { signal })),
    close: () => client.close(),
  }
}

interface StdioCommand {
  readonly command: string
  readonly args: string[]
  readonly env: Record<string, string>
  readonly stderr: 'ignore'
}

function command({ folder, env }: Extract<Target, { kind: 'stdio' }>): StdioCommand {
  return {
    command: NODE,
    args: [CLI, 'serve', '--stdio', folder],
    env: { ...inherited(), ...env },
    stderr: 'ignore',
  }
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}

function headers({ token }: Extract<Target, { kind: 'http' }>) {
  return { requestInit: { headers: { Authorization: `Bearer ${token}` } } }
}

function flatten(result: object): CallResult {
  const content: unknown = 'content' in result ? result.content : []
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  const text = typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : ''
  return {
    isError: 'isError' in result && result.isError === true,
    text,
    structured: 'structuredContent' in result ? result.structuredContent : undefined,
  }
}
