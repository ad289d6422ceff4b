import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { expectBody, expectError, expectItems, expectStatus, told } from '../../src/expect.ts'
import { dig, digText, isRecord, type JsonObject, members } from '../../src/json.ts'
import { lacking, need, promise } from '../../src/promise.ts'
import { nation, one } from '../../src/resources.ts'
import type { Scene } from '../../src/scene.ts'
import { canonical, onBothBases } from '../../src/visit.ts'
import { fill, operations } from '../operations.ts'

const otherMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

export function whatTheServiceDoes(scene: Scene): void {
  const { visit, world } = scene

  describe('1. What the service does', () => {
    for (const { data, path } of operations.filter(operation => operation.data !== undefined)) {
      promise(`it exposes ${data}`, () =>
        onBothBases(async base => {
          const { json } = expectStatus(await visit.ask(base + (await fill(path, world))), 200)
          const held = dig(json, 'data')
          assert.ok(Array.isArray(held) || isRecord(held), `${base}${path} has no data`)
        }),
      )
    }

    promise('it is reached over HTTPS', () => {
      if (!visit.settings.baseUrl.startsWith('https:'))
        lacking('this server was given as http: in front of it something must end TLS')
    })

    promise('an answer is UTF-8 JSON whatever the caller accepts', () =>
      onBothBases(async base => {
        for (const accept of ['text/html', 'application/xml;q=1, */*;q=0.1', 'application/json', 'nonsense'])
          for (const path of ['/nations', '/nowhere', '/nations?limit=0']) {
            const exchange = await visit.ask(base + path, { headers: { accept } })
            assert.equal(exchange.answered['content-type'], 'application/json; charset=utf-8', told(exchange))
            assert.ok(exchange.problem === undefined && isRecord(exchange.json), told(exchange))
          }
      }),
    )

    promise('names outside ASCII come and go as UTF-8', async () => {
      const found = (await world.nations()).find(({ nation_name }) =>
        /[^\u0020-\u007e]/.test(String(nation_name)),
      )
      const { id, nation_name } = need(found, 'the world has no nation whose name is not ASCII')
      await onBothBases(async base => {
        const items = expectItems(
          await visit.ask(`${base}/nations?search=${encodeURIComponent(String(nation_name))}`),
        )
        assert.ok(
          items.some(item => item.id === id && item.nation_name === nation_name),
          `${nation_name} is not found by its name`,
        )
      })
    })
  })

  describe('1. The API is read-only', () => {
    for (const { path } of operations) {
      promise(`${path} answers GET alone: POST, PUT, PATCH and DELETE are 405`, async () => {
        const filled = await fill(path, world)
        await onBothBases(async base => {
          for (const method of otherMethods) await refuses(method, base + filled)
        })
      })
    }

    promise('what a page may ask of its browser is reading', () =>
      onBothBases(async base => {
        const { status, answered } = await visit.ask(`${base}/nations`, { method: 'OPTIONS' })
        assert.equal(status, 204)
        assert.deepEqual(String(answered['access-control-allow-methods']).split(/, */).sort(), [
          'GET',
          'HEAD',
          'OPTIONS',
        ])
      }),
    )

    promise('a header that names another method makes a GET nothing but a GET', async () => {
      const { id } = await world.owner()
      await onBothBases(async base => {
        for (const header of ['x-http-method-override', 'x-http-method', 'x-method-override'])
          expectBody(
            await visit.ask(`${base}/nations/${id}`, { headers: { [header]: 'DELETE' } }),
            one(nation),
          )
      })
    })

    promise('request bodies are not used', async () => {
      const { id } = await world.owner()
      await onBothBases(async base => {
        const body = '{"search":"nothing is called so","limit":0}'
        const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
        expectBody(await visit.ask(`${base}/nations/${id}`, { headers, body }), one(nation))
      })
    })
  })

  describe('1. The API must not allow', () => {
    for (const [action, attempts] of Object.entries(forbidden)) {
      promise(action, async () => {
        const before = await stateOfOwner()
        const { id: own } = await world.owner()
        const stranger = await world.stranger().then(
          nation => nation.id,
          () => 'n0',
        )
        const words: Record<string, string> = {
          own: String(own),
          other: String(stranger),
          alliance: await world.allianceId().catch(() => 'a0'),
          war: await world.activeWar().then(
            war => String(war.id),
            () => 'w0',
          ),
        }
        await onBothBases(async base => {
          for (const attempt of attempts) {
            const [method = '', path = ''] = attempt.split(' ')
            await refuses(method, base + path.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? ''))
          }
        })
        assert.deepEqual(await stateOfOwner(), before)
      })
    }

    promise("the operator's acts at this door", async () => {
      for (const path of ['/facts', '/keys', '/codes']) {
        await refuses('POST', path)
        await onBothBases(base => refuses('POST', base + path))
        expectError(await visit.ask(canonical + path), 404, 'not_found')
      }
    })
  })

  async function refuses(method: string, path: string): Promise<void> {
    const body = '{"credits":1}'
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const exchange = await visit.ask(path, { method, headers, body })
    expectError(exchange, 405, 'method_not_allowed')
    const allowed = String(exchange.answered.allow).split(/, */)
    assert.ok(allowed.includes('GET'), `${told(exchange)}: Allow must name GET`)
    assert.ok(
      !allowed.some(name => otherMethods.some(other => other === name)),
      `${told(exchange)}: ${allowed}`,
    )
  }

  /** What no call may move, and what no tick of a simulated world moves either. */
  async function stateOfOwner(): Promise<JsonObject> {
    const { id } = await world.owner()
    const data = dig(expectStatus(await visit.ask(`${canonical}/nations/${id}`), 200).json, 'data')
    return {
      id: digText(data, 'id'),
      founded_at: dig(data, 'founded_at'),
      government: dig(data, 'government'),
    }
  }
}

const forbidden: Record<string, string[]> = {
  'launching nuclear or strategic weapons': [
    'POST /nations/{other}/strategic-weapons/launch',
    'POST /me/nation/launch',
    'POST /events?type=strategic_weapon.launched',
    'POST /wars/{war}/battles',
  ],
  'declaring or resolving wars': [
    'POST /wars',
    'PUT /wars/{war}',
    'PATCH /wars/{war}',
    'POST /wars/{war}/resolve',
    'DELETE /wars/{war}',
  ],
  'transferring credits or resources': [
    'POST /nations/{other}/transfer',
    'POST /me/nation/transfers',
    'POST /market/price',
    'PATCH /me/nation',
  ],
  'withdrawing from an alliance treasury': [
    'POST /alliances/{alliance}/treasury/withdraw',
    'DELETE /alliances/{alliance}/treasury',
    'PATCH /alliances/{alliance}',
  ],
  'performing espionage': [
    'POST /nations/{other}/espionage',
    'POST /me/nation/espionage',
    'PUT /nations/{other}',
  ],
  'accepting or signing treaties': [
    'POST /alliances/{alliance}/treaties',
    'POST /treaties/t1/accept',
    'PUT /treaties/t1/sign',
  ],
  'modifying alliance permissions or ranks': [
    'PUT /alliances/{alliance}/members',
    'PATCH /alliances/{alliance}/members/{own}',
    'POST /alliances/{alliance}/ranks',
    'PUT /alliances/{alliance}/permissions',
  ],
  'deleting accounts or nations': [
    'DELETE /nations/{own}',
    'DELETE /me/nation',
    'DELETE /me',
    'DELETE /me/key',
  ],
  'any other irreversible action': [
    'POST /eras',
    'DELETE /news',
    'POST /discord/verify/2345678923',
    'PUT /rankings',
  ],
}

/** Names of members that must not occur in what is said of anybody to everybody. */
export const privateMembers = {
  'exact enemy reserves': ['reserves', 'units'],
  readiness: ['readiness'],
  'strategic stockpiles': ['strategic', 'military'],
  'hidden production queues': ['production', 'queue'],
  'private alliance assignments': ['assignments'],
  'treasury detail': ['treasury', 'credits', 'economy'],
  'what is for administrators only': [
    'moderation_notes',
    'can_view_treasury',
    'player',
    'player_id',
    'applied_at',
  ],
} as const

export const namesIn = (value: unknown): Set<string> => new Set([...members(value)].map(([member]) => member))
