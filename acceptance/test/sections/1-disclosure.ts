import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { canonical, onBothBases } from '../../src/client.ts'
import type { Exchange } from '../../src/exchange.ts'
import { describeExchange, expectBody, expectError, expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { dig, digList, digText, isRecord, members } from '../../src/json.ts'
import { allScopes } from '../../src/keys.ts'
import { alliance, allianceWithTreasury, nation, one, ownNation } from '../../src/resources.ts'
import { skip, specTest } from '../../src/spec-test.ts'
import { fill, lists, withQuery } from '../operations.ts'
import { namesIn, privateMembers } from './1-what-the-service-does.ts'

/** What is known of others, to the best-cleared reader: a key with every scope. */
export function disclosure(fixture: Fixture): void {
  const { client, world, keys } = fixture
  let harvested: Promise<Exchange[]> | undefined

  describe('1. Private data of another nation is not readable', () => {
    for (const [secret, names] of Object.entries(privateMembers)) {
      specTest(secret, async () => {
        harvested ??= harvest()
        for (const exchange of await harvested) {
          const found = namesIn(exchange.json)
          assert.deepEqual(
            names.filter(name => found.has(name)),
            [],
            `${exchange.url} contains them`,
          )
        }
      })
    }

    specTest('a private number of its owner, under any name', async () => {
      const otherId = digText(await world.otherNation(), 'id')
      const { key } = await keys.make({
        nationId: otherId,
        scopes: ['military.read', 'economy.read', 'production.read'],
      })
      const own = expectStatus(await client.request(`${canonical}/me/nation`, { key }), 200)
      const { military, economy, production } = { ...nothing, ...(dig(own.json, 'data') ?? {}) }
      // Small numbers occur anywhere by chance.
      const secrets = numbersIn([military, economy, production]).filter(number => number >= 10_000)
      if (secrets.length === 0) skip('the game sends no private numbers')
      await onBothBases(async base => {
        const shown = numbersIn((await client.request(`${base}/nations/${otherId}`)).json)
        assert.deepEqual(
          secrets.filter(number => shown.includes(number)),
          [],
        )
      })
    })
  })

  describe('1. Data is public, player-private, alliance-private or admin-only', () => {
    specTest('a nation and an alliance are the same with a key and without', async () => {
      const { id } = await world.owner()
      const allianceId = await world.allianceId()
      const publicly = expectBody(
        await client.request(`${canonical}/nations/${id}`, { key: null }),
        one(nation),
      )
      const asOwner = expectBody(await client.request(`${canonical}/nations/${id}`), one(nation))
      assert.deepEqual(namesIn(asOwner), namesIn(publicly))
      expectBody(await client.request(`${canonical}/alliances/${allianceId}`, { key: null }), one(alliance))
      expectBody(await client.request(`${canonical}/alliances/${allianceId}`), one(alliance))
    })

    specTest('player-private: the owner reads military, economy and production', async () => {
      const nationId = digText(await world.owner(), 'id')
      const scopes = ['military.read', 'economy.read', 'production.read']
      const { key } = await keys.make({ nationId, scopes })
      await onBothBases(async base => {
        expectBody(
          await client.request(`${base}/me/nation`, { key }),
          one(ownNation(['military', 'economy', 'production'])),
        )
      })
    })

    specTest(
      'alliance-private: a member with the right reads the treasury, other players do not',
      async () => {
        const officer = await world.member('officer')
        const { key } = await keys.make({ nationId: digText(officer, 'id'), scopes: ['treasury.read'] })
        const own = digText(officer, 'alliance.alliance_id')
        const other = (await world.nations())
          .map(item => dig(item, 'alliance.alliance_id'))
          .find(id => id !== undefined && id !== own)
        await onBothBases(async base => {
          expectBody(
            await client.request(`${base}/alliances/${own}?include=treasury`, { key }),
            one(allianceWithTreasury),
          )
          if (other === undefined) return
          const refused = await client.request(`${base}/alliances/${other}?include=treasury`, { key })
          expectError(refused, 403, 'not_entitled')
        })
      },
    )

    specTest('admin-only: no key reads it, not even that of its own nation', async () => {
      const nationId = digText(await world.owner(), 'id')
      const { key } = await keys.make({ nationId, scopes: allScopes })
      const exchange = expectStatus(await client.request(`${canonical}/me/nation`, { key }), 200)
      const found = namesIn(exchange.json)
      assert.deepEqual(
        privateMembers['admin-only fields'].filter(name => found.has(name)),
        [],
      )
    })

    specTest(
      'attributes of a game have one of these classes, and only public ones are returned',
      async () => {
        const game = await client.request(`${canonical}/game`)
        if (game.status === 404) skip('this server does not describe its game')
        for (const [kind, path] of [
          ['nation', '/nations?limit=100'],
          ['alliance', `/alliances/${await world.allianceId()}`],
        ] as const) {
          const attributes = digList(game.json, `data.attributes.${kind}`)
          for (const { key, class: fieldClass } of attributes)
            assert.match(
              String(fieldClass),
              /^(public|player_private|alliance_private|admin_only)$/,
              `${kind}.${key} has the class ${fieldClass}`,
            )
          const open = attributes.filter(entry => entry.class === 'public').map(entry => entry.key)
          const exchange = expectStatus(await client.request(canonical + path), 200)
          for (const [name, value] of members(exchange.json)) {
            if (name !== 'attributes' || !isRecord(value)) continue
            assert.deepEqual(
              Object.keys(value).filter(member => !open.includes(member)),
              [],
              describeExchange(exchange),
            )
          }
        }
      },
    )
  })

  /** Everything that can be read about others, with every parameter that might add to it. */
  async function harvest(): Promise<Exchange[]> {
    const other = await world.otherNation()
    const paths = [
      `/nations/${other.id}`,
      `/nations/${other.id}?include=military,economy,production,assignments`,
      `/nations/${other.id}?include=military&fields=*&expand=all`,
      '/nations?limit=100&include=military',
      '/events?limit=100&type=strategic_weapon.launched',
    ]
    const allianceId = dig(other, 'alliance.alliance_id')
    if (allianceId !== undefined)
      paths.push(`/alliances/${allianceId}`, `/alliances/${allianceId}/members?limit=100&include=treasury`)
    for (const { path } of lists) {
      const filled = await fill(path, world).catch(() => undefined)
      if (filled !== undefined) paths.push(withQuery(filled, 'limit=100'))
    }
    const exchanges: Exchange[] = []
    await onBothBases(async base => {
      for (const path of paths) exchanges.push(expectStatus(await client.request(base + path), 200))
    })
    return exchanges
  }
}

const nothing = { military: null, economy: null, production: null }

function numbersIn(value: unknown): number[] {
  return [...members(value)].map(([, held]) => held).filter(held => typeof held === 'number')
}
