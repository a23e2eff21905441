// The API every contender calls: a small JSON object over keep-alive HTTP. Prints its port.
import { createServer } from 'node:http'

const body = JSON.stringify({ id: 7, name: 'Fram', flag: 'NO', berth: null })
const server = createServer((request, response) => {
  request.resume()
  response.setHeader('content-type', 'application/json')
  response.end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(address.port)
})
