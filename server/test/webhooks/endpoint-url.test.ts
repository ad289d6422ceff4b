import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { describe, test } from 'node:test'
import { webhooks } from '@chancery/contract'
import fc from 'fast-check'
import { blockedPorts, checkEndpointUrl } from '../../src/webhooks/outbound/guard.ts'

const strict = { allowsLocal: false }
const local = { allowsLocal: true }

const allowed = [
  'https://hooks.example.com',
  'https://hooks.example.com/in?key=1&b=%20',
  'https://hooks.example.com:8443/',
  'https://bücher.example/haken',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]:8443/',
  'https://notlocalhost.com/',
  'https://internal.example.com/',
  'https://local.example.com/',
  '  https://hooks.example.com/  ',
]
const localOnly = [
  'http://hooks.example.com/',
  'https://localhost/',
  'https://LOCALHOST/',
  'https://ⓛocalhost/',
  'https://api.localhost/',
  'https://printer.local/',
  'https://metadata.google.internal/',
  'https://router.home.arpa/',
  'https://intranet/',
  'https://127.0.0.1/',
  'https://10.0.0.1:8443/',
  'https://169.254.169.254/latest/meta-data/',
  'https://168.63.129.16/',
  'https://[::1]/',
  'https://[fd00:ec2::254]/',
  'https://[64:ff9b::8.8.8.8]/',
]
/** Other spellings of addresses that are not public: a URL's parser reads them as such. */
const spellings = [
  'https://0x7f.1/',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://017700000001/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://127.0.0.1./',
  'https://１２７.0.0.1/',
  'https://①②⑦.0.0.1/',
  'https://127。0。0。1/',
  'https://%31%32%37.0.0.1/',
  'https:127.0.0.1',
  'https:\\\\127.0.0.1\\',
  'https://0/',
  'https://10.1/',
  'https://0xa9fea9fe/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::127.0.0.1]/',
  'https://[2002:7f00:1::]/',
]
const rejected = [
  '',
  'hooks.example.com',
  '/hooks',
  'https://',
  'ftp://hooks.example.com/',
  'file:///etc/passwd',
  'gopher://hooks.example.com/',
  'javascript:alert(1)',
  'data:text/plain,hi',
  'unix:///var/run/docker.sock',
  'https://ada@hooks.example.com/',
  'https://ada:secret@hooks.example.com/',
  'https://:secret@hooks.example.com/',
  'https://hooks.example.com/#part',
  'https://hooks.example.com/#',
  'https://hooks.example.com./',
  'https://localhost./',
  'https://[fe80::1%25eth0]/',
  'https://[fe80::1%eth0]/',
  'https://256.256.256.256/',
  'https://hooks.example.com:25/',
  'https://hooks.example.com:22/',
  'https://hooks.example.com:6667/',
  'https://hooks.example.com:0/',
  'https://hooks.example.com:99999/',
]

for (const url of allowed) {
  test(`${url} is allowed`, () => {
    for (const options of [strict, local]) {
      const checked = checkEndpointUrl(url, options)
      assert.ok(checked instanceof URL, String(checked))
      assert.equal(checked.href, new URL(url).href)
    }
  })
}

for (const url of [...localOnly, ...spellings]) {
  test(`${url} is allowed in development only`, () => {
    assert.equal(typeof checkEndpointUrl(url, strict), 'string')
    assert.ok(checkEndpointUrl(url, local) instanceof URL)
  })
}

for (const url of rejected) {
  test(`"${url}" is rejected with a message, also in development`, () => {
    for (const options of [strict, local]) {
      assert.match(String(checkEndpointUrl(url, options)), /^[A-Z].* .*\.$/)
    }
  })
}

describe('the length of a URL', () => {
  const ofLength = (length: number) => 'https://hooks.example.com/'.padEnd(length, 'a')

  test('may have the length in the contract, and no more', () => {
    assert.ok(checkEndpointUrl(ofLength(webhooks.urlLengthMax), strict) instanceof URL)
    assert.match(String(checkEndpointUrl(ofLength(webhooks.urlLengthMax + 1), strict)), /longer than 2000/)
  })

  test('counts spaces around it, so that no longer text is even read', () => {
    assert.match(String(checkEndpointUrl(`${ofLength(100)}${' '.repeat(5_000)}`, strict)), /longer/)
  })

  test('counts percent-encoded characters', () => {
    assert.match(String(checkEndpointUrl(`https://hooks.example.com/${'ü'.repeat(400)}`, strict)), /longer/)
  })
})

test('every port that browsers block is rejected, and common ones are not', () => {
  const portIsAllowed = (port: number) =>
    checkEndpointUrl(`https://hooks.example.com:${port}/`, strict) instanceof URL
  assert.equal(blockedPorts.size, 83)
  assert.deepEqual([...blockedPorts].filter(portIsAllowed), [])
  assert.ok([80, 443, 3000, 8080, 8443, 65_535].every(portIsAllowed))
})

test('any text is accepted or rejected as a URL, and accepted ones are https and not local', () => {
  const host = fc.oneof(
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6().map(address => `[${address}]`),
    fc.domain(),
  )
  const url = fc.oneof(
    fc.string(),
    host.map(name => `https://${name}/`),
    fc.webUrl(),
  )
  fc.assert(
    fc.property(url, text => {
      const checked = checkEndpointUrl(text, strict)
      if (typeof checked === 'string') return
      assert.equal(checked.protocol, 'https:')
      // Of a name only its own digits look so: `10.example.com` is one.
      if (isIP(checked.hostname)) assert.doesNotMatch(checked.hostname, /^(127|10|0|169\.254|192\.168)\./)
      assert.doesNotMatch(checked.hostname, /^\[(f[c-f]|::)|localhost$/)
    }),
  )
})
