import assert from 'node:assert/strict'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { after, before, describe, test } from 'node:test'
import { bases } from '@chancery/contract'
import { freePort } from '../../server/src/store/embedded/socket.ts'
import { smallWorld } from '../../server/test/http/world.ts'
import { startTestServer, type TestServer } from '../../server/test/support/test-server.ts'
import { withoutCertificates } from '../../server/test/webhooks/certificate.ts'
import { caddy, caddyOfWorlds, nginx, nginxOfWorlds, type RunningProxy, without } from './proxies.ts'

const skips = {
  nginx: without('nginx', '-v') || withoutCertificates,
  caddy: without('caddy', 'version'),
}
const kinds = [nginx, caddy, nginxOfWorlds, caddyOfWorlds].map(kind => ({
  kind,
  isNginx: kind.program === 'nginx',
  skip: kind.program === 'nginx' ? skips.nginx : skips.caddy,
}))

interface ProxyRequest {
  path?: string
  headers?: Record<string, string>
  /** The address of the client, of this machine. */
  from?: string
  by?: RunningProxy
  method?: string
  body?: Buffer
}

for (const { kind, isNginx, skip } of kinds) {
  describe(`behind ${kind.program} with the configuration deploy/${kind.file}`, { skip }, () => {
    const { name, basePath } = kind
    let port: number
    let url: string
    let chancery: TestServer
    let proxy: RunningProxy
    before(async () => {
      port = await freePort()
      url = `http://127.0.0.1:${port}${basePath}`
      chancery = await startTestServer({
        CHANCERY_PORT: String(port),
        CHANCERY_PUBLIC_URL: url,
        CHANCERY_TRUSTED_PROXIES: '127.0.0.1',
        CHANCERY_ANONYMOUS_LIMIT: '',
      })
      await chancery.ingest(smallWorld())
      proxy = await kind.start([port])
    })
    after(async () => {
      await proxy?.stop()
      await chancery?.close()
    })

    const open = ({
      path = '/game',
      headers = {},
      from = '127.0.0.1',
      by = proxy,
      method = 'GET',
      body,
    }: ProxyRequest) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        https
          .request(
            {
              method,
              host: '127.0.0.1',
              port: by.port,
              path: basePath + (/^\/(healthz|developers)/.test(path) ? path : bases.canonical + path),
              headers: { host: name, ...headers },
              localAddress: from,
              servername: name,
              rejectUnauthorized: false,
              agent: false,
            },
            resolve,
          )
          .on('error', reject)
          .end(body)
      })
    const send = async (request: ProxyRequest) => {
      const res = await open(request)
      const body = Buffer.concat(await res.toArray())
      return { status: res.statusCode, headers: res.headers, body }
    }
    const leftOf = async (request: ProxyRequest) =>
      Number((await send(request)).headers['x-ratelimit-remaining'])

    test('every response has Strict-Transport-Security', async () => {
      for (const [path, status] of [
        ['/game', 200],
        ['/nowhere', 404],
        ['/me/nation', 401],
        ['/healthz', 200],
      ] as const) {
        const response = await send({ path, from: '127.0.0.9' })
        assert.equal(response.status, status, path)
        assert.equal(response.headers['strict-transport-security'], 'max-age=31536000', path)
      }
    })

    test('a request without TLS is redirected to TLS', async () => {
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

    test('each address has its own rate limit, and forwarding headers of callers are ignored', async () => {
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

    test('request ids of callers are ignored', async () => {
      const { headers } = await send({ from: '127.0.0.4', headers: { 'x-request-id': 'chosen-by-a-caller' } })
      assert.match(String(headers['x-request-id']), /^req_[0-9a-f]{16}$/)
    })

    test('a response arrives unchanged, compressed or not, and matches its entity tag', async () => {
      const codings: Record<string, string>[] = [{}, { 'accept-encoding': 'gzip' }]
      for (const headers of codings) {
        const direct = await fetch(`${chancery.url}${bases.canonical}/nations`, {
          headers: { 'accept-encoding': 'identity', ...headers },
        })
        const response = await send({ path: '/nations', headers, from: '127.0.0.5' })
        assert.equal(response.headers.etag, direct.headers.get('etag'))
        assert.equal(response.headers['content-encoding'] ?? null, direct.headers.get('content-encoding'))
        assert.equal(response.headers['cache-control'], direct.headers.get('cache-control'))
        await direct.arrayBuffer()
        const again = await send({
          path: '/nations',
          headers: { ...headers, 'if-none-match': String(response.headers.etag) },
          from: '127.0.0.5',
        })
        assert.equal(again.status, 304)
      }
    })

    test('an event is streamed without delay', { timeout: 20_000 }, async () => {
      const res = await open({ path: '/events/stream', from: '127.0.0.6' })
      assert.equal(res.statusCode, 200)
      let text = ''
      for await (const chunk of res) {
        text += chunk
        // From here on, events are live.
        if (text.includes('up to date')) break
      }
      const live = await open({ path: '/events/stream', from: '127.0.0.6' })
      let received = ''
      let isSent = false
      for await (const chunk of live) {
        received += chunk
        if (!isSent && received.includes('up to date')) {
          isSent = true
          await chancery.ingest([
            { op: 'put', resource: 'nation', data: { id: 'n-live', nation_name: 'Live' } },
          ])
        }
        if (received.includes('n-live')) break
      }
      assert.match(received, /n-live/)
    })

    test('a too large request is rejected without affecting other callers', { timeout: 60_000 }, async () => {
      const sending = (what: ProxyRequest) => send({ from: '127.0.0.7', ...what })
      const post = { method: 'POST', path: '/developers/api/session' }
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
      const sized = (bytes: number): ProxyRequest => ({
        headers: { ...headers, 'content-length': String(bytes) },
        body: Buffer.alloc(bytes, ' '),
      })
      const chunked = {
        headers: { ...headers, 'transfer-encoding': 'chunked' },
        body: Buffer.alloc(3_000_000),
      }
      // nginx counts the bytes of a body without a length, Caddy forwards it.
      const unsized = isNginx ? 413 : 400
      const tooLarge = 431
      for (const [status, what] of [
        [413, { ...post, ...sized(70_000) }],
        [413, { ...post, ...sized(3_000_000) }],
        [413, sized(3_000_000)],
        [unsized, { ...post, ...chunked }],
        [tooLarge, { headers: { 'x-a': 'a'.repeat(15_900) } }],
        [tooLarge, { headers: { 'x-a': 'a'.repeat(9_000), 'x-b': 'a'.repeat(9_000) } }],
        [tooLarge, { path: `/game?${'a'.repeat(16_300)}` }],
      ] as [number, ProxyRequest][]) {
        // A connection that is closed before the end of the request is reset.
        const response = await sending(what).catch(() => ({ status }))
        assert.equal(response.status, status, JSON.stringify(what).slice(0, 90))
        for (let call = 1; call <= 5; call += 1)
          assert.equal(
            (await send({ from: `127.0.2.${call}` })).status,
            200,
            JSON.stringify(what).slice(0, 90),
          )
      }
      // Allowed sizes are forwarded.
      assert.equal((await sending({ ...post, ...sized(60_000) })).status, 400)
      assert.equal(
        (await sending({ path: `/game?${'a'.repeat(8_000)}`, headers: { 'x-a': 'a'.repeat(3_000) } })).status,
        200,
      )
    })

    test('verification codes are in no log, also when the service is down', async () => {
      const none = await kind.start([await freePort()])
      try {
        for (const by of [proxy, none])
          for (const path of [
            '/discord/verify/SECRETCODE?for=1',
            '/DISCORD/verify/SECRETCODE',
            '/%64iscord/verify/SECRETCODE',
          ])
            await send({ path, by, from: '127.0.0.8' })
        assert.ok((await none.logged()).includes('discord'))
        for (const by of [proxy, none]) assert.doesNotMatch(await by.logged(), /SECRETCODE/)
      } finally {
        await none.stop()
      }
    })

    test('errors of the proxy itself have the shape of errors of the API', {
      skip: !isNginx,
    }, async () => {
      const none = await kind.start([await freePort()])
      try {
        for (const [code, status, what] of [
          ['unavailable', 503, { by: none }],
          ['unavailable', 503, { by: none, path: '/discord/verify/SECRETCODE' }],
          ['bad_request', 413, { headers: { 'content-length': '70000' }, body: Buffer.alloc(70_000) }],
          ['headers_too_large', 431, { headers: { 'x-a': 'a'.repeat(15_500) } }],
          ['headers_too_large', 431, { path: `/game?${'a'.repeat(16_000)}` }],
          ['method_not_allowed', 405, { method: 'TRACE' }],
          ['bad_request', 400, { headers: { host: 'not a host' } }],
        ] as [string, number, ProxyRequest][]) {
          const { status: found, headers, body } = await send(what)
          assert.equal(found, status, code)
          const { error } = JSON.parse(body.toString())
          assert.deepEqual(Object.keys(error), ['code', 'message', 'request_id'])
          assert.deepEqual([error.code, error.request_id], [code, headers['x-request-id']])
          assert.match(error.request_id, /^req_[0-9a-f]{32}$/)
          assert.equal(headers['content-type'], 'application/json; charset=utf-8')
          assert.equal(headers['cache-control'], 'no-store')
          assert.equal(headers['access-control-allow-origin'], '*')
          assert.equal(headers['strict-transport-security'], 'max-age=31536000')
          assert.equal(headers['retry-after'], status === 503 ? '5' : undefined)
          assert.equal(headers.allow, status === 405 ? 'GET, HEAD, OPTIONS' : undefined)
        }
      } finally {
        await none.stop()
      }
    })

    test('a stopped process causes no failed request', async () => {
      const before = await kind.start([await freePort(), port])
      try {
        for (let call = 1; call <= 20; call += 1)
          assert.equal((await send({ from: `127.0.1.${call}`, by: before })).status, 200)
      } finally {
        await before.stop()
      }
    })
  })
}
