import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserFamily, networkOf } from '../../src/account/request-origin.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const agents: [userAgent: string, family: string][] = [
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    'Edge',
  ],
  [`Mozilla/5.0 (Windows NT 10.0) ${webKit} Chrome/142.0.0.0 Safari/537.36 OPR/124.0.0.0`, 'Opera'],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webKit} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    'Safari',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1',
    'Chrome',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/145.0 Mobile/15E148 Safari/605.1.15',
    'Firefox',
  ],
  ['curl/8.14.1', 'Other browser'],
  ['', 'Other browser'],
  [`${'Version/1 '.repeat(30)}Safari/605.1.15`, 'Other browser'],
  ['<script>alert(1)</script>', 'Other browser'],
]

for (const [userAgent, family] of agents)
  test(`the family of “${userAgent.slice(-40)}” is ${family}`, () => {
    assert.equal(browserFamily(userAgent), family)
  })

test('an address is reduced to /24 of IPv4 and /48 of IPv6', () => {
  const networks: [address: string, network: string | null][] = [
    ['203.0.113.57', '203.0.113.0/24'],
    ['203.0.113.57:4711', '203.0.113.0/24'],
    ['::ffff:203.0.113.57', '203.0.113.0/24'],
    ['2001:db8:12:3456:789a:bcde:f012:3456', '2001:db8:12::/48'],
    ['[2001:db8:12:3456::1]:4711', '2001:db8:12::/48'],
    ['fe80::1%eth0', 'fe80::/48'],
    ['::1', '::/48'],
    ['127.0.0.1', '127.0.0.0/24'],
    ['unknown', null],
    ['', null],
  ]
  for (const [address, network] of networks) assert.equal(networkOf(address), network, address)
})
