import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { describe, test } from 'node:test'
import { Chancery, type ChanceryError } from '@chancery/client'
import { runPython, withPython } from '../../examples/python/test/python.ts'
import { handover, listenerOf } from '../../server/test/account/browser.ts'
import { everyOperation, smallWorld } from '../../server/test/http/world.ts'
import { withConnection } from '../../server/test/support/database-url.ts'
import { operateAt } from '../../server/test/support/operator-client.ts'
import { redisUrl, withoutRedis } from '../../server/test/support/redis-server.ts'
import { startTestServer, type TestServer } from '../../server/test/support/test-server.ts'
import { withoutCertificates } from '../../server/test/webhooks/certificate.ts'
import { caddyOfWorlds, nginxOfWorlds, without } from './proxies.ts'
import { createWorldDatabases, startPathProxy, startWorld } from './worlds.ts'

/** The limits of an address and of a player in both worlds. */
const addressLimit = 60
const playerLimit = 200

/** A world whose every name has a word that is in no other. */
function worldWith(word: string) {
  const text = JSON.stringify(smallWorld())
  const facts = JSON.parse(text.replaceAll(/"((?:nation_|leader_)?name|title|tag)":"/g, `"$1":"${word}`))
  return facts as ReturnType<typeof smallWorld>
}

/** Cookies of one browser, sent by path as browsers do. */
function createCookieJar() {
  const cookies = new Map<string, { path: string; pair: string }>()
  return {
    pairsFor: (path: string) =>
      [...cookies.values()].filter(cookie => path.startsWith(cookie.path)).map(({ pair }) => pair),
    store(response: Response) {
      for (const header of response.headers.getSetCookie()) {
        const [pair = ''] = header.split(';')
        const [, path = '/'] = /; Path=([^;]+)/.exec(header) ?? []
        cookies.set(`${path} ${pair.split('=')[0]}`, { path, pair })
      }
    },
  }
}

test('two worlds behind one address', { timeout: 240_000 }, async t => {
  const databases = await createWorldDatabases(['eu1', 'eu2'])
  t.after(databases.drop)
  const redis = withoutRedis && !process.env.CHANCERY_TEST_VALKEY_URL ? undefined : await redisUrl(t)
  const proxy = await startPathProxy()
  t.after(proxy.close)
  const start = async (world: string): Promise<TestServer> => {
    const server = await startWorld(`${proxy.url}/${world}`, databases.url(world), {
      CHANCERY_ANONYMOUS_LIMIT: String(addressLimit),
      CHANCERY_PLAYER_LIMIT: String(playerLimit),
      ...(redis === undefined ? {} : { CHANCERY_VALKEY_URL: redis }),
    })
    t.after(() => server.close())
    proxy.route(world, await listenerOf(server))
    return server
  }
  const [eu1, eu2] = [await start('eu1'), await start('eu2')]
  const worlds = [
    { own: eu1, other: eu2, name: 'eu1', word: 'Lorqua', otherWord: 'Zyphen' },
    { own: eu2, other: eu1, name: 'eu2', word: 'Zyphen', otherWord: 'Lorqua' },
  ]
  for (const { own, word } of worlds) await own.ingest(worldWith(word))
  let addresses = 0
  /** Each from an address of its own, so that no limit is reached. */
  const get = (url: string, headers: Record<string, string> = {}) => {
    addresses += 1
    return fetch(url, {
      redirect: 'manual',
      headers: { ...headers, 'x-forwarded-for': `198.51.100.${addresses}` },
    })
  }

  await t.test('no response of a world contains data of the other', async () => {
    for (const { own, word, otherWord } of worlds) {
      const { key } = await own.makeKey({ nation_id: 'n1' })
      let found = 0
      for (const { operation, path } of everyOperation) {
        if (operation.cache === 'stream') continue
        const response = await fetch(`${own.url}/api/v1${path}`, {
          headers: { authorization: `Bearer ${key}` },
        })
        const text = await response.text()
        assert.ok(!text.includes(otherWord), path)
        if (text.includes(word)) found += 1
      }
      assert.ok(found > 10, `${found} operations returned data`)
    }
  })

  await t.test('a key and an operator token of a world are rejected in the other', async () => {
    for (const { own, other } of worlds) {
      const { key } = await own.makeKey({ nation_id: 'n1' })
      assert.equal((await own.get('/me/nation', { key })).status, 200)
      for (const path of ['/me/nation', '/game']) {
        const response = await other.get(path, { key })
        assert.equal(response.status, 401)
        assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'invalid_api_key')
      }
      const made = await own.operate('POST', '/tokens', { name: 'game', roles: ['facts', 'metrics'] })
      const { token } = (await made.json()) as { token: string }
      assert.equal((await operateAt(own.operatorUrl, token)('GET', '/metrics')).status, 200)
      assert.equal((await operateAt(other.operatorUrl, token)('GET', '/metrics')).status, 401)
    }
  })

  await t.test('a verification code is unknown in the other world, and stays valid', async () => {
    for (const { own, other, word } of worlds) {
      const code = await own.makeCode('n1')
      const elsewhere = await other.get(`/discord/verify/${code}`)
      assert.equal(elsewhere.status, 404)
      const identity = await own.read<{ data: { nation: { nation_name: string } } }>(
        `/discord/verify/${code}`,
      )
      assert.ok(identity.data.nation.nation_name.startsWith(word))
    }
  })

  await t.test('one browser is signed in to both worlds, and sends each its own cookie', async () => {
    const jar = createCookieJar()
    const call = async (server: TestServer, path: string, init: RequestInit = {}) => {
      const url = `${server.url}/developers/api${path}`
      const cookie = jar.pairsFor(new URL(url).pathname).join('; ')
      const response = await fetch(url, {
        ...init,
        headers: { origin: proxy.url, 'content-type': 'application/json', cookie },
      })
      jar.store(response)
      return response
    }
    for (const { own } of worlds) {
      const token = await handover(own, { nation_id: own === eu1 ? 'n1' : 'n2' })
      assert.equal(
        (await call(own, '/session', { method: 'POST', body: JSON.stringify({ token }) })).status,
        200,
      )
    }
    for (const { own, other } of worlds) {
      const session = (await (await call(own, '/session')).json()) as { nation: { nation_id: string } }
      assert.equal(session.nation.nation_id, own === eu1 ? 'n1' : 'n2')
      const pairs = jar.pairsFor(new URL(`${own.url}/developers/`).pathname)
      assert.equal(pairs.length, 1)
      // Sent to the other world all the same, under both names, it is no session there.
      const [, value] = (pairs[0] ?? '').split('=')
      const [otherPair = ''] = jar.pairsFor(new URL(`${other.url}/developers/`).pathname)
      for (const cookie of [pairs[0] ?? '', `${otherPair.split('=')[0]}=${value}`]) {
        const response = await fetch(`${other.url}/developers/api/session`, { headers: { cookie } })
        assert.equal(response.status, 401)
      }
    }
    const handovers = await handover(eu1, { nation_id: 'n1' })
    const elsewhere = await call(eu2, '/session', {
      method: 'POST',
      body: JSON.stringify({ token: handovers }),
    })
    assert.equal(elsewhere.status, 410)
  })

  await t.test('an address and a player have their limit in each world', async () => {
    const left = async ({ url }: TestServer, headers: Record<string, string>) => {
      const response = await fetch(`${url}/api/v1/game`, { headers })
      await response.arrayBuffer()
      return response.status === 429 ? 'none' : Number(response.headers.get('x-ratelimit-remaining'))
    }
    const address = { 'x-forwarded-for': '203.0.113.7' }
    for (let rest = addressLimit - 1; rest >= 0; rest -= 1) assert.equal(await left(eu1, address), rest)
    assert.equal(await left(eu1, address), 'none')
    assert.equal(await left(eu2, address), addressLimit - 1)
    // The player has one id in both worlds.
    const keys = await Promise.all(worlds.map(({ own }) => own.makeKey({ player_id: 'p-same' })))
    const [one = {}, other = {}] = keys.map(({ key }) => ({ authorization: `Bearer ${key}` }))
    for (let rest = playerLimit - 1; rest >= 0; rest -= 1) assert.equal(await left(eu1, one), rest)
    assert.equal(await left(eu1, one), 'none')
    assert.equal(await left(eu2, other), playerLimit - 1)
  })

  await t.test('links and redirects of the pages stay in their world', async () => {
    for (const { own, name } of worlds)
      for (const path of [
        '/',
        '/docs',
        '/docs/',
        '/docs/guides',
        '/docs/status',
        '/developers',
        '/openapi.json',
      ]) {
        const response = await get(own.url + path, { accept: 'text/html' })
        const links = [
          ...[...(await response.text()).matchAll(/ (?:href|src|data-path)="(\/[^"]*)"/g)].map(
            ([, link]) => link,
          ),
          ...[response.headers.get('location')].filter(location => location !== null),
        ]
        for (const link of links) assert.ok(link?.startsWith(`/${name}/`), `${path}: ${link}`)
        assert.ok(links.length > 0 || path === '/openapi.json', path)
        assert.ok(response.status < 400, path)
      }
    for (const path of ['/', '/docs/', '/eu3/docs/', '/eu12/docs/'])
      assert.equal((await get(proxy.url + path)).status, 404, path)
  })

  await t.test('the client for TypeScript reads each world by its base', async () => {
    for (const { own, other, word } of worlds) {
      const { key } = await own.makeKey({ nation_id: 'n1' })
      for (const baseUrl of [own.url, `${own.url}/`, `${own.url}/api/v1`]) {
        const client = new Chancery({ baseUrl, apiKey: key })
        assert.ok((await client.me.nation()).nation_name.startsWith(word))
        const { data } = await client.nations.list()
        assert.ok(data.length > 0 && data.every(({ nation_name }) => nation_name.startsWith(word)))
      }
      await assert.rejects(
        new Chancery({ baseUrl: other.url, apiKey: key }).me.nation(),
        (error: ChanceryError) => error.code === 'invalid_api_key',
      )
      const followed = new Chancery({ baseUrl: own.url, apiKey: key }).events.follow({ after: 0 })
      for await (const event of followed) {
        assert.equal(event.seq > 0, true)
        break
      }
    }
  })

  await t.test('the client for Python reads each world by its base', withPython, async () => {
    for (const { own, other, word } of worlds) {
      const { key } = await own.makeKey({ nation_id: 'n1' })
      const script = `
c = client(api_key=os.environ["KEY"])
report(c.get("/me/nation")["data"]["nation_name"])
report(next(c.follow(after=0))["seq"])
report(fails(lambda: Chancery(os.environ["OTHER"], api_key=os.environ["KEY"]).get("/me/nation"))[0])`
      const [name, seq, code] = await runPython(script, {
        url: own.url,
        env: { KEY: key, OTHER: `${other.url}/` },
      })
      assert.ok(String(name).startsWith(word))
      assert.ok(Number(seq) > 0)
      assert.equal(code, 'invalid_api_key')
    }
  })

  await t.test('the user of a world cannot connect to the database of the other', async () => {
    for (const [world, as] of [
      ['eu1', 'eu2'],
      ['eu2', 'eu1'],
    ] as const) {
      await withConnection(databases.url(as), async client => {
        const { rows } = await client.query('select rolsuper from pg_roles where rolname = current_user')
        assert.deepEqual(rows, [{ rolsuper: false }])
      })
      await assert.rejects(
        withConnection(databases.url(world, as), async () => {}),
        /permission denied for database/,
      )
    }
  })

  await t.test('a world that is stopped does not affect the other', async () => {
    await eu1.close()
    const { key } = await eu2.makeKey({ nation_id: 'n1' })
    assert.equal((await eu2.get('/me/nation', { key })).status, 200)
    await eu2.ingest([{ op: 'put', resource: 'nation', data: { id: 'n1', nation_name: 'Zyphen reborn' } }])
    const again = await start('eu1')
    const left = await again.makeKey({ nation_id: 'n1' })
    const { data } = await again.read<{ data: { nation_name: string } }>('/me/nation', { key: left.key })
    assert.ok(data.nation_name.startsWith('Lorqua'))
  })
})

const skips = {
  nginx: without('nginx', '-v') || withoutCertificates,
  caddy: without('caddy', 'version'),
}

/** The configuration with its alternative by host name. */
const byHostName = {
  nginx: (text: string) =>
    text
      .replace(/^map \$uri [\s\S]*?^\}\n/m, '')
      .replaceAll(/^#(map| {2}|\})/gm, '$1')
      .replaceAll(
        'server_name api.game.example;',
        'server_name api.game.example eu1.api.game.example eu2.api.game.example;',
      ),
  // Subdomains of localhost are local, so Caddy issues their certificates itself.
  caddy: (text: string) => {
    const commented = text.slice(text.indexOf('#eu1.{$CHANCERY_SITE} {'))
    const eu1 = commented.replaceAll(/^#/gm, '')
    return `${text.slice(0, text.indexOf('{$CHANCERY_SITE} {'))}${eu1}\n${eu1.replaceAll('eu1', 'eu2')}
{$CHANCERY_SITE} {\n\timport site\n\thandle {\n\t\troot * /srv/worlds\n\t\tfile_server\n\t}\n}\n`
  },
}

for (const kind of [nginxOfWorlds, caddyOfWorlds]) {
  const program = kind.program as 'nginx' | 'caddy'
  describe(`two worlds behind ${program} with deploy/${kind.file}`, { skip: skips[program] }, () => {
    for (const by of ['path', 'host name'] as const)
      test(`are found by ${by}, and the page that lists them at the shared address`, {
        timeout: 120_000,
      }, async t => {
        const servers: TestServer[] = []
        for (const world of ['eu1', 'eu2']) {
          const publicUrl = by === 'path' ? `https://${kind.name}/${world}` : `https://${world}.${kind.name}`
          const server = await startTestServer({ CHANCERY_PUBLIC_URL: publicUrl })
          t.after(() => server.close())
          servers.push(server)
          const data = { id: 'n1', nation_name: `One of ${world}` }
          await server.operate(
            'POST',
            '/facts',
            { facts: [{ op: 'put', resource: 'nation', data }] },
            { 'idempotency-key': world },
          )
        }
        const [ports, otherPorts] = await Promise.all(
          servers.map(async server => [Number(new URL(await listenerOf(server)).port)]),
        )
        assert.ok(ports && otherPorts)
        const proxy = await kind.start(ports, {
          otherPorts,
          ...(by === 'path' ? {} : { edit: byHostName[program] }),
        })
        t.after(() => proxy.stop())
        const open = async (host: string, path: string) => {
          const request = https.request({
            host: '127.0.0.1',
            port: proxy.port,
            path,
            headers: { host, accept: 'text/html' },
            servername: host,
            rejectUnauthorized: false,
            agent: false,
          })
          const [res] = (await once(request.end(), 'response')) as [IncomingMessage]
          return { res, body: Buffer.concat(await res.toArray()).toString() }
        }
        for (const world of ['eu1', 'eu2']) {
          const [host, base] = by === 'path' ? [kind.name, `/${world}`] : [`${world}.${kind.name}`, '']
          const nation = await open(host, `${base}/api/v1/nations/n1`)
          assert.equal(JSON.parse(nation.body).data.nation_name, `One of ${world}`)
          const document = JSON.parse((await open(host, `${base}/openapi.json`)).body)
          assert.equal(document.servers[0].url, `https://${host}${base}/api/v1`)
          assert.equal((await open(host, `${base}/docs`)).res.headers.location, `${base}/docs/`)
          for (const path of ['', '/']) {
            const page = await open(host, `${base}${path}` || '/')
            assert.match(page.body, /<h1>Meridian API<\/h1>/)
            assert.ok(page.body.includes(`href="${base}/docs/guides"`))
          }
        }
        const list = await open(kind.name, '/')
        assert.equal(list.res.statusCode, 200)
        assert.match(list.res.headers['content-type'] ?? '', /^text\/html/)
        assert.deepEqual(
          [...list.body.matchAll(/href="([^"]+)"/g)].map(([, href]) => href),
          ['/eu1/', '/eu2/'],
        )
        assert.equal(list.res.headers['strict-transport-security'], 'max-age=31536000')
        assert.match((await open(kind.name, '/robots.txt')).body, /^Disallow: \/\*\/api\/$/m)
        for (const path of ['/eu3', '/eu12/docs/', '/api/v1/nations', '/discord/verify/CODE'])
          assert.equal((await open(kind.name, path)).res.statusCode, 404, path)
      })
  })
}
