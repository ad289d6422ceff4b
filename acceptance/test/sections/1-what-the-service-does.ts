import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { canonical, onBothBases } from '../../src/client.ts'
import { describeExchange, expectError, expectItems, expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { dig, digText, isRecord, type JsonObject, members } from '../../src/json.ts'
import { fill } from '../../src/operations.ts'
import { orSkip, skip, specTest } from '../../src/spec-test.ts'

const exposed = {
  nations: '/nations',
  alliances: '/alliances/{id}',
  wars: '/wars',
  battles: '/wars/{id}/battles',
  'the market': '/market/price',
  'rankings of nations': '/rankings?board=nations',
  'rankings of alliances': '/rankings?board=alliances',
  'global conflicts': '/global-conflicts',
  eras: '/eras',
  events: '/events',
  news: '/news',
}
const otherMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

export function whatTheServiceDoes(fixture: Fixture): void {
  const { client, reads, world } = fixture

  describe('1. What the service does', () => {
    for (const [data, path] of Object.entries(exposed)) {
      specTest(`it exposes ${data}`, () =>
        onBothBases(async base => {
          const { json } = expectStatus(await client.request(base + (await fill(path, world))), 200)
          const held = dig(json, 'data')
          assert.ok(Array.isArray(held) || isRecord(held), `${base}${path} has no data`)
        }),
      )
    }

    specTest('it is reached over HTTPS', () => {
      if (!client.settings.baseUrl.startsWith('https:'))
        skip('the URL of this server is http: a proxy in front of it must terminate TLS')
    })

    specTest('a response is UTF-8 JSON whatever the caller accepts', () =>
      onBothBases(async base => {
        for (const accept of ['text/html', 'application/xml;q=1, */*;q=0.1', 'application/json', 'nonsense'])
          for (const path of ['/nations', '/nowhere', '/nations?limit=0']) {
            const exchange = await client.request(base + path, { headers: { accept } })
            assert.equal(
              exchange.responseHeaders['content-type'],
              'application/json; charset=utf-8',
              describeExchange(exchange),
            )
            assert.ok(exchange.problem === undefined && isRecord(exchange.json), describeExchange(exchange))
          }
      }),
    )

    specTest('names outside ASCII are UTF-8 in responses and parameters', async () => {
      const found = (await world.nations()).find(({ nation_name }) =>
        /[^\u0020-\u007e]/.test(String(nation_name)),
      )
      const { id, nation_name } = orSkip(found, 'the world has no nation whose name is not ASCII')
      await onBothBases(async base => {
        const items = expectItems(
          await client.request(`${base}/nations?search=${encodeURIComponent(String(nation_name))}`),
        )
        assert.ok(
          items.some(item => item.id === id && item.nation_name === nation_name),
          `${nation_name} is not found by its name`,
        )
      })
    })
  })

  describe('1. The API is read-only', () => {
    for (const { path } of reads) {
      specTest(`${path} allows only GET: POST, PUT, PATCH and DELETE are 405`, async () => {
        const filled = await fill(path, world)
        await onBothBases(async base => {
          for (const method of otherMethods) await refuses(method, base + filled)
        })
      })
    }

    specTest('CORS allows only reading', () =>
      onBothBases(async base => {
        const { status, responseHeaders } = await client.request(`${base}/nations`, {
          method: 'OPTIONS',
        })
        assert.equal(status, 204)
        assert.deepEqual(String(responseHeaders['access-control-allow-methods']).split(/, */).sort(), [
          'GET',
          'HEAD',
          'OPTIONS',
        ])
      }),
    )

    specTest('a method-override header does not change a GET', async () => {
      const { id } = await world.owner()
      await onBothBases(async base => {
        for (const header of ['x-http-method-override', 'x-http-method', 'x-method-override'])
          await client.read(`${base}/nations/${id}`, { headers: { [header]: 'DELETE' } })
      })
    })

    specTest('request bodies are ignored', async () => {
      const { id } = await world.owner()
      await onBothBases(async base => {
        const body = '{"search":"an unknown name","limit":0}'
        const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
        await client.read(`${base}/nations/${id}`, { headers, body })
      })
    })
  })

  describe('1. The API must not allow', () => {
    for (const [action, attempts] of Object.entries(forbidden)) {
      specTest(action, async () => {
        const before = await stateOfOwner()
        const { id: own } = await world.owner()
        const otherNation = await world.otherNation().then(
          nation => nation.id,
          () => 'n0',
        )
        const words: Record<string, string> = {
          own: String(own),
          other: String(otherNation),
          alliance: await world.allianceId().catch(() => 'a0'),
          war: await world.activeWar().then(
            war => String(war.id),
            () => 'w0',
          ),
        }
        await onBothBases(async base => {
          for (const attempt of attempts.split(', ')) {
            const [method = '', path = ''] = attempt.split(' ')
            await refuses(method, base + path.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? ''))
          }
        })
        assert.deepEqual(await stateOfOwner(), before)
      })
    }

    specTest('operator operations on the public API', async () => {
      for (const path of ['/facts', '/keys', '/codes']) {
        await refuses('POST', path)
        await onBothBases(base => refuses('POST', base + path))
        expectError(await client.request(canonical + path), 404, 'not_found')
      }
    })
  })

  async function refuses(method: string, path: string): Promise<void> {
    const body = '{"credits":1}'
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const exchange = await client.request(path, { method, headers, body })
    expectError(exchange, 405, 'method_not_allowed')
    const allowed = String(exchange.responseHeaders.allow).split(/, */)
    assert.ok(allowed.includes('GET'), `${describeExchange(exchange)}: Allow must name GET`)
    assert.ok(
      !allowed.some(name => otherMethods.some(other => other === name)),
      `${describeExchange(exchange)}: ${allowed}`,
    )
  }

  /** Members that no request may change, and that no tick of a simulated world changes. */
  async function stateOfOwner(): Promise<JsonObject> {
    const { id } = await world.owner()
    const data = dig(expectStatus(await client.request(`${canonical}/nations/${id}`), 200).json, 'data')
    return {
      id: digText(data, 'id'),
      founded_at: dig(data, 'founded_at'),
      government: dig(data, 'government'),
    }
  }
}

/** Requests that must be rejected, by what they attempt. */
const forbidden: Record<string, string> = {
  'launching nuclear or strategic weapons':
    'POST /nations/{other}/strategic-weapons/launch, POST /me/nation/launch, POST /events?type=strategic_weapon.launched, POST /wars/{war}/battles',
  'declaring or resolving wars':
    'POST /wars, PUT /wars/{war}, PATCH /wars/{war}, POST /wars/{war}/resolve, DELETE /wars/{war}',
  'transferring credits or resources':
    'POST /nations/{other}/transfer, POST /me/nation/transfers, POST /market/price, PATCH /me/nation',
  'withdrawing from an alliance treasury':
    'POST /alliances/{alliance}/treasury/withdraw, DELETE /alliances/{alliance}/treasury, PATCH /alliances/{alliance}',
  'performing espionage': 'POST /nations/{other}/espionage, POST /me/nation/espionage, PUT /nations/{other}',
  'accepting or signing treaties':
    'POST /alliances/{alliance}/treaties, POST /treaties/t1/accept, PUT /treaties/t1/sign',
  'modifying alliance permissions or ranks':
    'PUT /alliances/{alliance}/members, PATCH /alliances/{alliance}/members/{own}, POST /alliances/{alliance}/ranks, PUT /alliances/{alliance}/permissions',
  'deleting accounts or nations': 'DELETE /nations/{own}, DELETE /me/nation, DELETE /me, DELETE /me/key',
  'any other irreversible action': 'POST /eras, DELETE /news, POST /discord/verify/2345678923, PUT /rankings',
}

/** Names of members that must not occur in public data. */
export const privateMembers = {
  'exact enemy reserves': ['reserves', 'units'],
  readiness: ['readiness'],
  'strategic stockpiles': ['strategic', 'military'],
  'hidden production queues': ['production', 'queue'],
  'private alliance assignments': ['assignments'],
  'treasury detail': ['treasury', 'credits', 'economy'],
  'admin-only fields': ['moderation_notes', 'can_view_treasury', 'player', 'player_id', 'applied_at'],
} as const

export const namesIn = (value: unknown): Set<string> => new Set([...members(value)].map(([member]) => member))
