import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Server } from '@modelcontextprotocol/server'
import type { Principal } from '../../core/principal.ts'
import { openServers } from './server.ts'
import type { McpDeps } from './server.ts'

export interface StdioOptions extends McpDeps {
  readonly principal: Principal
  readonly stdin: Readable
  readonly stdout: Writable
  /** Ends the connection. */
  readonly signal: AbortSignal
}

/** Speaks MCP on two streams until the client closes its end or the signal aborts; running calls are cancelled then. */
export async function serveMcpStdio(options: StdioOptions): Promise<void> {
  const { gateway, logger, principal, stdin, stdout, signal } = options
  const open = openServers(options)
  const servers = new Set<Server>()
  const transport = new StdioServerTransport(stdin, stdout)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  stdin.once('end', end)
  stdin.once('close', end)
  stdout.once('close', end)
  stdout.once('error', () => end())
  if (signal.aborted) end()
  signal.addEventListener('abort', () => end(), { once: true })
  const handle = serveStdio(
    () => {
      const server = open(principal)
      servers.add(server)
      const { onclose } = server
      server.onclose = () => {
        servers.delete(server)
        onclose?.()
      }
      return server
    },
    { transport, onerror: error => logger.debug('mcp', { why: error.message }) },
  )
  // The transport gives up by itself where a line is longer than it will hold, and leaves the stream open.
  const { onclose } = transport
  transport.onclose = () => {
    onclose?.()
    end()
  }
  const forget = gateway.onChange(() => {
    for (const server of servers) void server.sendToolListChanged().catch(() => undefined) // not connected yet, or no more
  })
  await ended
  forget()
  await handle.close()
}
