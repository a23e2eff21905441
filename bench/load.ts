// Asks an MCP endpoint of revision 2026-07-28 as fast as so many clients can, each with one request in flight.
import { Pool } from 'undici'

export interface Target {
  readonly url: string
  readonly token?: string
  readonly tool: string
}

export interface Measured {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
}

export interface Load {
  readonly clients: number
  readonly calls: number
}

export async function measure(target: Target, { clients, calls }: Load): Promise<Measured> {
  const { origin, pathname } = new URL(target.url)
  const pool = new Pool(origin, { connections: clients, pipelining: 1 })
  try {
    const ask = asker(pool, pathname, target)
    for (let warm = 0; warm < Math.min(calls / 4, 500); warm++) await ask()
    const times: number[] = []
    let left = calls
    const began = performance.now()
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (left-- > 0) {
          const start = performance.now()
          await ask()
          times.push(performance.now() - start)
        }
      }),
    )
    const seconds = (performance.now() - began) / 1000
    times.sort((a, b) => a - b)
    const at = (part: number): number => times[Math.floor(times.length * part)] ?? 0
    return { perSecond: times.length / seconds, p50: at(0.5), p95: at(0.95) }
  } finally {
    await pool.close()
  }
}

function asker(pool: Pool, path: string, { tool, token }: Target): () => Promise<void> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: tool,
      arguments: { name: 'Fram' },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': tool,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  return async () => {
    const answer = await pool.request({ method: 'POST', path, headers, body })
    const text = await answer.body.text()
    if (!text.includes('Fram')) throw new Error(`a wrong answer, ${answer.statusCode}: ${text}`)
  }
}
