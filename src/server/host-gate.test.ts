import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostGate } from './host-gate.ts'
import type { HostGateOptions } from './host-gate.ts'

const LOOPBACK: HostGateOptions = { host: '127.0.0.1' }

const CASES: readonly {
  readonly name: string
  readonly listening?: HostGateOptions
  readonly host?: string
  readonly origin?: string
  readonly passes: boolean
}[] = [
  { name: 'localhost', host: 'localhost:7411', passes: true },
  { name: 'loopback, IPv4', host: '127.0.0.1:7411', passes: true },
  { name: 'loopback, IPv6', host: '[::1]:7411', passes: true },
  { name: 'another port, as a tunnel has', host: 'localhost:80', passes: true },
  { name: 'another name that resolves here', host: 'evil.example:7411', passes: false },
  { name: 'a name that begins like ours', host: 'localhost.evil.example', passes: false },
  { name: 'a name that ends like ours', host: 'evil-localhost', passes: false },
  { name: 'an address that is not listened on', host: '192.0.2.1:7411', passes: false },
  { name: 'no host', passes: false },
  { name: 'a host that is none', host: 'a b', passes: false },
  { name: 'the address listened on', listening: { host: '192.0.2.1' }, host: '192.0.2.1:7411', passes: true },
  { name: 'the name listened on, in capitals', listening: { host: 'MyHost' }, host: 'myhost:7411', passes: true },
  { name: 'IPv6 written long', listening: { host: '2001:DB8:0:0:0:0:0:1' }, host: '[2001:db8::1]', passes: true },
  { name: 'all addresses: still localhost', listening: { host: '0.0.0.0' }, host: 'localhost', passes: true },
  { name: 'all addresses are no address', listening: { host: '0.0.0.0' }, host: '0.0.0.0:7411', passes: false },
  { name: 'all addresses, IPv6', listening: { host: '::' }, host: '[::]:7411', passes: false },
  {
    name: 'a name that was allowed',
    listening: { host: '0.0.0.0', allowedHosts: ['Tools.Example'] },
    host: 'tools.example',
    passes: true,
  },
  { name: 'a page of this machine', host: 'localhost', origin: 'http://localhost:5173', passes: true },
  { name: 'a page from elsewhere', host: 'localhost', origin: 'https://evil.example', passes: false },
  { name: 'a page without an origin', host: 'localhost', origin: 'null', passes: false },
  { name: 'a file', host: 'localhost', origin: 'file://', passes: false },
  {
    name: 'a page of an allowed name',
    listening: { host: '127.0.0.1', allowedHosts: ['tools.example'] },
    host: 'tools.example',
    origin: 'https://tools.example',
    passes: true,
  },
]

for (const { name, listening = LOOPBACK, host, origin, passes } of CASES)
  test(`host gate: ${name} ${passes ? 'passes' : 'is refused'}`, () => {
    const headers = new Headers()
    if (host !== undefined) headers.set('Host', host)
    if (origin !== undefined) headers.set('Origin', origin)
    const refused = hostGate(listening)(new Request('http://unused.example/mcp', { headers }))
    assert.equal(refused?.status, passes ? undefined : 403)
  })
