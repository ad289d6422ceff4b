import assert from 'node:assert/strict'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { after, before, describe, test } from 'node:test'
import { bases } from '@chancery/contract'
import { smallWorld } from '../../server/test/http/world.ts'
import { startChancery, type TestChancery } from '../../server/test/support/chancery.ts'
import { withoutCertificates } from '../../server/test/webhooks/certificate.ts'
import { caddy, freePort, nginx, type RunningProxy, without } from './proxies.ts'

const kinds = [
  { kind: nginx, skip: without('nginx', '-v') || withoutCertificates },
  { kind: caddy, skip: without('caddy', 'version') },
]

const portOf = ({ url }: TestChancery) => Number(new URL(url).port)

interface Asked {
  path?: string
  headers?: Record<string, string>
  /** Which client it is: an address of this machine. */
  from?: string
  by?: RunningProxy
}

for (const { kind, skip } of kinds) {
  describe(`behind ${kind.program} as deploy/proxy sets it up`, { skip }, () => {
    const { name } = kind
    let chancery: TestChancery
    let proxy: RunningProxy
    before(async () => {
      chancery = await startChancery({
        CHANCERY_TRUSTED_PROXIES: '127.0.0.1',
        CHANCERY_ANONYMOUS_LIMIT: '',
      })
      await chancery.tell(smallWorld())
      proxy = await kind.start([portOf(chancery)])
    })
    after(async () => {
      await proxy?.stop()
      await chancery?.close()
    })

    const open = ({ path = '/game', headers = {}, from = '127.0.0.1', by = proxy }: Asked) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        https
          .get(
            {
              host: '127.0.0.1',
              port: by.port,
              path: path.startsWith('/healthz') ? path : bases.canonical + path,
              headers: { host: name, ...headers },
              localAddress: from,
              servername: name,
              rejectUnauthorized: false,
              agent: false,
            },
            resolve,
          )
          .on('error', reject)
      })
    const ask = async (asked: Asked) => {
      const res = await open(asked)
      const body = Buffer.concat(await res.toArray())
      return { status: res.statusCode, headers: res.headers, body }
    }
    const leftOf = async (asked: Asked) => Number((await ask(asked)).headers['x-ratelimit-remaining'])

    test('every answer says that this name is to be reached with TLS alone', async () => {
      for (const [path, status] of [
        ['/game', 200],
        ['/nowhere', 404],
        ['/me/nation', 401],
        ['/healthz', 200],
      ] as const) {
        const answer = await ask({ path, from: '127.0.0.9' })
        assert.equal(answer.status, status, path)
        assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000', path)
      }
    })

    test('without TLS there is a way to TLS and nothing else', async () => {
      const res = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = {
          host: '127.0.0.1',
          port: proxy.plainPort,
          path: '/api/v1/game?x=1',
          headers: { host: name },
        }
        http.get(options, resolve).on('error', reject)
      })
      res.resume()
      assert.equal(res.statusCode, 308)
      assert.match(res.headers.location ?? '', RegExp(`^https://${name}(:\\d+)?/api/v1/game\\?x=1$`))
    })

    test('each caller has a bucket of its own, whatever it says of its address', async () => {
      assert.equal(await leftOf({ from: '127.0.0.2' }), 59)
      assert.equal(await leftOf({ from: '127.0.0.3' }), 59)
      const claims: Record<string, string>[] = [
        { 'x-forwarded-for': '198.51.100.1' },
        { 'x-forwarded-for': '198.51.100.2, 127.0.0.1' },
        { 'X-Forwarded-For': '127.0.0.3' },
        { forwarded: 'for=198.51.100.3' },
        { 'x-real-ip': '198.51.100.4' },
      ]
      for (const [index, headers] of claims.entries())
        assert.equal(await leftOf({ from: '127.0.0.2', headers }), 58 - index, JSON.stringify(headers))
      assert.equal(await leftOf({ from: '127.0.0.3' }), 58)
    })

    test('ids of requests are made by the service, not by callers', async () => {
      const { headers } = await ask({ from: '127.0.0.4', headers: { 'x-request-id': 'chosen-by-a-caller' } })
      assert.match(String(headers['x-request-id']), /^req_[0-9a-f]{16}$/)
    })

    test('an answer arrives as it was sent, packed or not, and is known again by its tag', async () => {
      const codings: Record<string, string>[] = [{}, { 'accept-encoding': 'gzip' }]
      for (const headers of codings) {
        const direct = await fetch(`${chancery.url}${bases.canonical}/nations`, {
          headers: { 'accept-encoding': 'identity', ...headers },
        })
        const answer = await ask({ path: '/nations', headers, from: '127.0.0.5' })
        assert.equal(answer.headers.etag, direct.headers.get('etag'))
        assert.equal(answer.headers['content-encoding'] ?? null, direct.headers.get('content-encoding'))
        assert.equal(answer.headers['cache-control'], direct.headers.get('cache-control'))
        await direct.arrayBuffer()
        const again = await ask({
          path: '/nations',
          headers: { ...headers, 'if-none-match': String(answer.headers.etag) },
          from: '127.0.0.5',
        })
        assert.equal(again.status, 304)
      }
    })

    test('an event is passed on when it happens', { timeout: 20_000 }, async () => {
      const res = await open({ path: '/events/stream', from: '127.0.0.6' })
      assert.equal(res.statusCode, 200)
      let text = ''
      for await (const chunk of res) {
        text += chunk
        // What was in the log has come; from now on it is live.
        if (text.includes('up to date')) break
      }
      const live = await open({ path: '/events/stream', from: '127.0.0.6' })
      let told = ''
      let isTold = false
      for await (const chunk of live) {
        told += chunk
        if (!isTold && told.includes('up to date')) {
          isTold = true
          await chancery.tell([
            { op: 'put', resource: 'nation', data: { id: 'n-live', nation_name: 'Live' } },
          ])
        }
        if (told.includes('n-live')) break
      }
      assert.match(told, /n-live/)
    })

    test('a process that is gone costs no call', async () => {
      const before = await kind.start([await freePort(), portOf(chancery)])
      try {
        for (let call = 1; call <= 20; call += 1)
          assert.equal((await ask({ from: `127.0.1.${call}`, by: before })).status, 200)
      } finally {
        await before.stop()
      }
    })
  })
}
