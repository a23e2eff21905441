// The yardstick: a bare Node program that parses a `tools/call`, makes the REST call through an undici pool and answers.
// Nothing else: no authentication, no checks, no records. Takes the upstream's port, prints its own.
import { createServer } from 'node:http'
import { Pool } from 'undici'

const pool = new Pool(`http://127.0.0.1:${String(process.argv[2])}`, { connections: 32 })
const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => (text += chunk))
  request.on('end', async () => {
    const { id, params } = JSON.parse(text)
    const path = `/ships/${encodeURIComponent(String(params.arguments.name))}`
    const { body } = await pool.request({ method: 'GET', path })
    const value = await body.json()
    response.setHeader('content-type', 'application/json')
    const content = [{ type: 'text', text: JSON.stringify(value) }]
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content, structuredContent: value } }))
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(address.port)
})
