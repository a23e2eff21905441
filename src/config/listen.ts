/** Where the gateway listens. */
export interface Listen {
  readonly host: string
  readonly port: number
}

export const DEFAULT_LISTEN: Listen = { host: '127.0.0.1', port: 7411 }

export const LISTEN_EXPECTED = 'expected HOST:PORT, e.g. "127.0.0.1:7411" or "[::1]:7411" (port 0 takes any free one)'

/** `HOST:PORT`, an IPv6 address in brackets; undefined for anything else. */
export function parseListen(text: string): Listen | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  return host === undefined || port > 65_535 ? undefined : { host, port }
}

export function isLoopback({ host }: Listen): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
