import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server'

export interface HostGateOptions {
  /** The address that is listened on. */
  readonly host: string
  /** Other names of this machine. */
  readonly allowedHosts?: readonly string[]
}

/** Answers 403 to a request for another host, or from a page of another origin. */
export type HostGate = (request: Request) => Response | undefined

/**
 * Keeps out web pages: one that has its own name resolve to this machine (DNS rebinding) still sends that name as Host, and one that
 * sends here from elsewhere says so in Origin. An address that stands for all addresses is nobody's name.
 */
export function hostGate({ host, allowedHosts = [] }: HostGateOptions): HostGate {
  const own = [host, ...allowedHosts].map(nameOf).filter(name => !WILDCARDS.has(name))
  const hosts = [...localhostAllowedHostnames(), ...own]
  const origins = [...localhostAllowedOrigins(), ...own]
  return request => hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins)
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]'])

/** As a URL spells it, which is what headers are compared with: lower case, IPv6 shortened and in brackets. */
function nameOf(host: string): string {
  const written = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return URL.parse(`http://${written}`)?.hostname ?? written
}
