import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { onBothBases } from '../../src/client.ts'
import { describeExchange, expectItems, expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { dig, digList, digText, type JsonObject } from '../../src/json.ts'
import { orSkip, skip, specTest } from '../../src/spec-test.ts'

/** The commands of a bot, each by the calls that section 4.3 names for it, from what a chat user types to what the bot shows. */
export function botCommands({ client, world }: Fixture): void {
  const items = async (path: string) => expectItems(await client.request(path))
  const one = async (path: string) => dig(expectStatus(await client.request(path), 200).json, 'data')
  const first = (found: JsonObject[], lack: string) => orSkip(found[0], lack)

  describe('4.3 Bot commands', () => {
    specTest('nation: by its name, then by its id', async () => {
      const { nation_name, leader_name, id } = await world.owner()
      await onBothBases(async base => {
        const found = await items(`${base}/nations?search=${encodeURIComponent(String(nation_name))}`)
        const match = orSkip(
          found.find(nation => nation.nation_name === nation_name)?.id,
          `no ${nation_name}`,
        )
        const nation = await one(`${base}/nations/${match}`)
        assert.equal(match, id)
        assert.equal(digText(nation, 'nation_name'), nation_name)
        assert.equal(digText(nation, 'leader_name'), leader_name)
      })
    })

    specTest('alliance: itself and its members', async () => {
      const allianceId = await world.allianceId()
      await onBothBases(async base => {
        const alliance = await one(`${base}/alliances/${allianceId}`)
        const members = await items(`${base}/alliances/${allianceId}/members`)
        assert.notEqual(digText(alliance, 'name'), '')
        assert.notEqual(digText(first(members, 'no members'), 'nation_name'), '')
      })
    })

    specTest('war: itself and its battles', async () => {
      const warId = digText(await world.foughtWar(), 'id')
      await onBothBases(async base => {
        const war = await one(`${base}/wars/${warId}`)
        const battles = await items(`${base}/wars/${warId}/battles`)
        const sides = [digText(war, 'attacker.nation_id'), digText(war, 'defender.nation_id')]
        assert.ok(battles.length > 0)
        for (const battle of battles) {
          assert.equal(battle.war_id, warId)
          assert.ok(sides.includes(digText(battle, 'attacker_nation_id')))
          assert.ok(sides.includes(digText(battle, 'defender_nation_id')))
        }
      })
    })

    specTest('wars: the active wars of a nation', async () => {
      const warOfNation = await world.activeWar()
      const nationId = digText(warOfNation, 'defender.nation_id')
      await onBothBases(async base => {
        const exchange = await client.request(`${base}/wars?status=active&nation_id=${nationId}`)
        const found = expectItems(exchange)
        if (!found.some(war => war.id === warOfNation.id)) {
          const now = await one(`${base}/wars/${warOfNation.id}`)
          assert.equal(dig(now, 'status'), 'ended', describeExchange(exchange))
        }
      })
    })

    specTest('market: prices', () =>
      onBothBases(async base => {
        const price = first(await items(`${base}/market/price`), 'the world has no market')
        assert.equal(typeof price.price, 'number')
        assert.notEqual(digText(price, 'resource'), '')
      }),
    )

    specTest('rankings: both boards', () =>
      onBothBases(async base => {
        const nation = first(await items(`${base}/rankings?board=nations`), 'no ranked nation')
        const alliance = first(await items(`${base}/rankings?board=alliances`), 'no ranked alliance')
        assert.notEqual(digText(nation, 'nation.nation_name'), '')
        assert.notEqual(digText(alliance, 'alliance.name'), '')
      }),
    )

    specTest('conflict: global conflicts and who fights on which side', () =>
      onBothBases(async base => {
        const conflicts = await items(`${base}/global-conflicts`)
        for (const conflict of conflicts) assert.notEqual(digText(conflict, 'name'), '')
        const fought = conflicts.filter(
          conflict => Array.isArray(conflict.sides) && conflict.sides.length > 0,
        )
        const conflict = first(fought, 'the world has no global conflict with sides')
        for (const side of digList(conflict, 'sides')) assert.notEqual(digText(side, 'name'), '')
      }),
    )

    specTest('era: eras, and the active one', () =>
      onBothBases(async base => {
        const eras = await items(`${base}/eras`)
        if (eras.length === 0) skip('the world has no eras')
        assert.ok(eras.filter(era => era.status === 'active').length <= 1, 'at most one era is active')
        for (const era of eras) assert.notEqual(digText(era, 'name'), '')
      }),
    )

    specTest('nukes: launches of strategic weapons', () =>
      onBothBases(async base => {
        const launches = await items(`${base}/events?type=strategic_weapon.launched`)
        const launch = first(launches, 'no strategic weapon was launched in this world')
        assert.notEqual(digText(launch, 'summary'), '')
        assert.notEqual(digText(launch, 'data.weapon'), '')
      }),
    )

    specTest('history: events and news', () =>
      onBothBases(async base => {
        const event = first(await items(`${base}/events`), 'the world has no event')
        assert.notEqual(digText(event, 'summary'), '')
        const news = first(await items(`${base}/news`), 'the world has no news')
        assert.notEqual(digText(news, 'title'), '')
      }),
    )
  })
}
