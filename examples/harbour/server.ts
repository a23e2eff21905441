// The harbour's API: a few ships in memory behind a bearer token. Run by itself, it listens on 127.0.0.1:7412.
import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'

export const TOKEN = 'harbour-master-2026'

interface Ship {
  readonly name: string
  readonly flag: string
  berth: number | null
  notes: readonly unknown[]
}

export function openHarbour(): Server {
  const ships = new Map<string, Ship>(
    ['Dún Laoghaire/IE', 'Fram/NO', 'Santa María/ES'].map(entry => {
      const [name = '', flag = ''] = entry.split('/')
      return [name, { name, flag, berth: null, notes: [] }]
    }),
  )
  return createServer(async (request, response) => {
    const answer = (status: number, body?: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(body === undefined ? '' : JSON.stringify(body))
    }
    const refuse = (status: number, code: string, message: string): void => answer(status, { error: { code, message } })
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      refuse(401, 'no_token', `the token "${String(request.headers.authorization)}" is not known`)
      return
    }
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://harbour')
    const [, collection, name, detail] = pathname.split('/').map(decodeURIComponent)
    const ship = ships.get(name ?? '')
    if (collection !== 'ships') refuse(404, 'no_such_page', 'there is nothing here')
    else if (name === undefined) {
      const found = [...ships.values()].filter(({ flag }) => [null, flag].includes(searchParams.get('flag')))
      answer(200, { data: found.slice(0, Number(searchParams.get('limit'))) })
    } else if (ship === undefined) refuse(404, 'no_such_ship', `no ship is named ${name}`)
    else if (request.method === 'DELETE') {
      ships.delete(name)
      answer(204)
    } else if (request.method === 'PUT' && detail === 'berth') {
      const { berth, notes = [] } = await readJson(request)
      if (typeof berth !== 'number' || berth < 1 || berth > 12) refuse(422, 'no_such_berth', 'berths are 1 to 12')
      else answer(200, { data: Object.assign(ship, { berth, notes }) })
    } else answer(200, { data: ship })
  })
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text)
}

if (import.meta.main)
  openHarbour().listen(7412, '127.0.0.1', () => console.log(`http://127.0.0.1:7412, token ${TOKEN}`))
