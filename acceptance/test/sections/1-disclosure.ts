import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { canonical, onBothBases } from '../../src/client.ts'
import type { Exchange } from '../../src/exchange.ts'
import { describeExchange, expectError, expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { asRecord, dig, digList, digText, isRecord, members } from '../../src/json.ts'
import { allScopes } from '../../src/keys.ts'
import { fill, withQuery } from '../../src/operations.ts'
import { skip, specTest } from '../../src/spec-test.ts'
import { namesIn, privateMembers } from './1-what-the-service-does.ts'

/** Data of others, read with a key that has every scope. */
export function disclosure(fixture: Fixture): void {
  const { client, reads, world, keys } = fixture
  let responses: Promise<Exchange[]> | undefined

  describe('1. Private data of another nation is not readable', () => {
    for (const [secret, names] of Object.entries(privateMembers)) {
      specTest(secret, async () => {
        responses ??= readOthers()
        for (const exchange of await responses) {
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
      for (const path of [`${canonical}/nations/${id}`, `${canonical}/alliances/${allianceId}`])
        assert.deepEqual(namesIn(await client.read(path)), namesIn(await client.read(path, { key: null })))
    })

    specTest('player-private: the owner reads military, economy and production', async () => {
      const nationId = digText(await world.owner(), 'id')
      const scopes = ['military.read', 'economy.read', 'production.read']
      const { key } = await keys.make({ nationId, scopes })
      await onBothBases(async base => {
        const data = asRecord(dig(await client.read(`${base}/me/nation`, { key }), 'data'))
        for (const section of ['military', 'economy', 'production']) assert.ok(section in data, section)
        assert.ok(!('assignments' in data))
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
          const body = await client.read(`${base}/alliances/${own}?include=treasury`, { key })
          assert.notEqual(dig(body, 'data.treasury'), undefined)
          if (other === undefined) return
          const rejected = await client.request(`${base}/alliances/${other}?include=treasury`, { key })
          expectError(rejected, 403, 'not_entitled')
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

  /** All responses about others, with every parameter that might add to them. */
  async function readOthers(): Promise<Exchange[]> {
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
    for (const { path } of reads.filter(({ isList }) => isList)) {
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
