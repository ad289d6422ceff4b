import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressBucket } from '../../src/limits/rate-limit.ts'

const cases: [promise: string, address: string, subject: string][] = [
  ['an IPv4 address is its own subject', '203.0.113.7', '203.0.113.7'],
  ['an IPv4 address mapped into IPv6 is that IPv4 address', '::ffff:203.0.113.7', '203.0.113.7'],
  ['the mapping may be written in capitals', '::FFFF:203.0.113.7', '203.0.113.7'],
  ['the mapping may be written in hexadecimal', '::ffff:cb00:7107', '203.0.113.7'],
  ['an IPv6 address counts as its /64', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['another spelling of it is the same subject', '2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['a zone is no part of the subject', 'fe80::1%eth0', 'fe80::/64'],
  ['the loopback has a subject', '::1', '::/64'],
  ['a text that is no address counts as itself', 'unix:', 'unix:'],
  ['an empty text counts as itself', '', ''],
]

for (const [promise, address, subject] of cases) {
  test(promise, () => {
    assert.equal(addressBucket(address), subject)
    assert.equal(addressBucket(address), subject, 'the cached result differs')
  })
}

test('neighbours in one /64 share a subject, and no other /64 does', () => {
  const group = fc.integer({ min: 0x1, max: 0xffff })
  const half = fc.tuple(group, group, group, group)
  const write = (groups: number[]) => groups.map(value => value.toString(16)).join(':')
  fc.assert(
    fc.property(half, half, half, half, (network, host, otherNetwork, otherHost) => {
      const isSameNetwork = write(network) === write(otherNetwork)
      const subject = addressBucket(write([...network, ...host]))
      assert.equal(addressBucket(write([...network, ...otherHost])), subject)
      assert.equal(addressBucket(write([...otherNetwork, ...host])) === subject, isSameNetwork)
    }),
  )
})

test('a flood of addresses does not change what an address counts as', () => {
  for (let host = 0; host < 25_000; host++) addressBucket(`2001:db8::${host.toString(16)}`)
  assert.equal(addressBucket('2001:db8::1'), '2001:db8::/64')
})
