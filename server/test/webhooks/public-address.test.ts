import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { isPublicAddress } from '../../src/webhooks/outbound/guard.ts'

/** IANA's registries of special-purpose addresses, and what clouds use beside them. */
const notPublic: [range: string, ...addresses: string[]][] = [
  ['this network', '0.0.0.0', '0.0.0.1', '0.255.255.255'],
  ['private', '10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  ['carrier-grade NAT', '100.64.0.0', '100.127.255.255', '100.100.100.200'],
  ['loopback', '127.0.0.1', '127.1.2.3', '127.255.255.255'],
  ['link-local', '169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ['protocol assignments', '192.0.0.0', '192.0.0.8', '192.0.0.192', '192.0.0.255'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.255'],
  ['6to4 relays', '192.88.99.1'],
  ['benchmarking', '198.18.0.0', '198.19.255.255'],
  ['multicast', '224.0.0.1', '239.255.255.250'],
  ['reserved', '240.0.0.1', '255.255.255.254'],
  ['broadcast', '255.255.255.255'],
  ["Azure's host", '168.63.129.16'],
  ['unspecified IPv6', '::', '0:0:0:0:0:0:0:0', '::0.0.0.0'],
  ['loopback IPv6', '::1', '0000:0000:0000:0000:0000:0000:0000:0001', '::0.0.0.1'],
  ['link-local IPv6', 'fe80::1', 'FE80::1', 'febf:ffff::1'],
  ['an interface of this machine', 'fe80::1%eth0', '2606:4700:4700::1111%eth0', '::1%lo'],
  ['site-local', 'fec0::1', 'feff::1'],
  ['unique local', 'fc00::1', 'fd00:ec2::254', 'fd20:ce::254', 'fdff:ffff::1'],
  ['multicast IPv6', 'ff00::', 'ff02::1', 'ff0e::1'],
  [
    'IPv4-mapped',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:10.0.0.1',
    '0:0:0:0:0:ffff:a00:1',
    '::ffff:8.8.8.8',
  ],
  ['IPv4-compatible', '::127.0.0.1', '::7f00:1', '::a9fe:a9fe', '::8.8.8.8'],
  ['IPv4-translated', '::ffff:0:127.0.0.1', '::ffff:0:7f00:1', '::ffff:0:808:808'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::1'],
  ['6to4', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:808:808::1'],
  ['Teredo', '2001::1', '2001:0:7f00:1:8000:f227:80ff:fffe'],
  ['ISATAP', '2606:4700::5efe:127.0.0.1', '2606:4700::200:5efe:7f00:1', '2a00:1:2:3:0:5efe:a00:1'],
  ['discard', '100::1', '100::ffff:ffff:ffff:ffff', '100:0:0:1::1'],
  ['IETF protocols', '2001:1::1', '2001:1ff:ffff::1'],
  ['benchmarking IPv6', '2001:2::1', '2001:2:0:ffff::1'],
  [
    'AMT and AS112',
    '2001:3::1',
    '2001:4:112::1',
    '2620:4f:8000::1',
    '192.52.193.1',
    '192.31.196.1',
    '192.175.48.1',
  ],
  ['ORCHID', '2001:10::1', '2001:1f:ffff::1', '2001:20::1', '2001:2f:ffff::1', '2001:30::1'],
  ['documentation IPv6', '2001:db8::1', '2001:db8:ffff::1', '3fff::1', '3fff:fff:ffff::1'],
  ['segment routing', '5f00::1', '5f00:ffff::1'],
  ['not given out', '4000::1', '1::1', '200::1', '8000::1', 'e000::1', 'fe00::1'],
  [
    'no address',
    '',
    ' ',
    'localhost',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '0127.0.0.1',
    '8.8.8',
  ],
  [
    'no address either',
    '8.8.8.8 ',
    ' 8.8.8.8',
    '8.8.8.8:80',
    '[2606:4700:4700::1111]',
    '1.1.1.1/32',
    '８.8.8.8',
  ],
]

for (const [range, ...addresses] of notPublic) {
  test(`not public: ${range}`, () => {
    assert.deepEqual(addresses.filter(isPublicAddress), [])
  })
}

test('internet addresses are public, up to the edges of every private range', () => {
  const edges = ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255']
  edges.push('128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0')
  edges.push('192.0.3.0', '192.88.98.255', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0')
  edges.push('203.0.112.255', '203.0.114.0', '223.255.255.255', '168.63.129.15', '168.63.129.17')
  const known = ['8.8.8.8', '1.1.1.1', '140.82.112.3', '2606:4700:4700::1111', '2001:4860:4860::8888']
  const edges6 = ['2001:200::1', '2001:db7:ffff::1', '2001:db9::1', '2003::1', '2a00:1450:4001::1', '3ffe::1']
  assert.deepEqual(
    [...edges, ...known, ...edges6].filter(address => !isPublicAddress(address)),
    [],
  )
})

describe('an IPv4 address inside an IPv6 address', () => {
  const hidden = ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']
  hidden.push('100.64.0.0/10', '0.0.0.0/8', '192.0.0.0/24', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4')

  const inRange = fc
    .tuple(fc.constantFrom(...hidden), fc.integer({ min: 0, max: 0xffff_ffff }))
    .map(([cidr, random]) => {
      const [network, bits] = ipaddr.IPv4.parseCIDR(cidr)
      const base = Buffer.from(network.octets).readUInt32BE()
      return (base + (random % 2 ** (32 - bits))) >>> 0
    })
  const any = fc.oneof(inRange, fc.integer({ min: 0, max: 0xffff_ffff }))
  const dotted = (value: number) => [24, 16, 8, 0].map(shift => (value >>> shift) & 0xff).join('.')
  const groups = (value: number) => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`

  const embeddings: ((value: number) => string)[] = [
    value => `::ffff:${dotted(value)}`,
    value => `::ffff:${groups(value)}`,
    value => `0:0:0:0:0:FFFF:${groups(value)}`,
    value => `::${dotted(value)}`,
    value => `::${groups(value)}`,
    value => `::ffff:0:${groups(value)}`,
    value => `64:ff9b::${dotted(value)}`,
    value => `64:ff9b::${groups(value)}`,
    value => `64:ff9b:1::${groups(value)}`,
    value => `2002:${groups(value)}::1`,
    value => `2001:0:${groups(value)}::1`,
    value => `2001::${groups(~value >>> 0)}`,
    value => `2606:4700::5efe:${groups(value)}`,
    value => `2606:4700::200:5efe:${dotted(value)}`,
  ]

  test('is never public, in any notation', () => {
    fc.assert(
      fc.property(any, fc.constantFrom(...embeddings), (value, embed) => !isPublicAddress(embed(value))),
    )
  })

  test('is not public by itself in a private range either', () => {
    fc.assert(fc.property(inRange, value => !isPublicAddress(dotted(value))))
  })
})
