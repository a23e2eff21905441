import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, test } from 'node:test'
import { parseIp } from '../../lib/ip.ts'
import { isOwnListener } from './own-listeners.ts'

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find(own => own?.internal === false && own.family === 'IPv4')?.address

describe('whether a connection comes back', () => {
  for (const [address, port, listener, want] of [
    ['127.0.0.1', 7411, '127.0.0.1', true],
    ['127.0.0.1', 7412, '127.0.0.1', false],
    ['127.0.0.2', 7411, '127.0.0.1', false],
    ['::ffff:127.0.0.1', 7411, '127.0.0.1', true],
    ['0.0.0.0', 7411, '127.0.0.1', true],
    ['::', 7411, '::1', true],
    ['::1', 7411, '::1', true],
    ['127.0.0.2', 7411, '0.0.0.0', true],
    ['::1', 7411, '::', true],
    ['127.0.0.1', 7411, '::', true],
    ['10.255.1.2', 7411, '0.0.0.0', false],
    ['10.255.1.2', 7411, 'gateway.example.com', true],
    ...(elsewhere === undefined ? [] : ([[elsewhere, 7411, '0.0.0.0', true]] as const)),
  ] as const)
    test(`${address}:${port}, listening on ${listener}:7411`, () => {
      const ip = parseIp(address)
      assert.ok(ip)
      assert.equal(isOwnListener(ip, port, [{ address: listener, port: 7411 }]), want)
    })
})
