import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { onBothBases } from '../../src/client.ts'
import { describeExchange, expectItems, expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { dig, digList, digText, nationsOfWar } from '../../src/json.ts'
import { orSkip, skip, specTest } from '../../src/spec-test.ts'

/** Commands that show a list, and the texts of its first item that they need. */
const lists: [title: string, path: string, members: string[]][] = [
  ['market: prices', '/market/price', ['resource']],
  ['rankings: the board of nations', '/rankings?board=nations', ['nation.nation_name']],
  ['rankings: the board of alliances', '/rankings?board=alliances', ['alliance.name']],
  ['era: eras', '/eras', ['name']],
  ['nukes: strategic launches', '/events?type=strategic_weapon.launched', ['summary', 'data.weapon']],
  ['history: events', '/events', ['summary']],
  ['history: news', '/news', ['title']],
]

/** The commands of a bot, each by the requests of section 4.3, from the user's input to the bot's output. */
export function botCommands({ client, world }: Fixture): void {
  const items = async (path: string) => expectItems(await client.request(path))
  const one = async (path: string) => dig(expectStatus(await client.request(path), 200).json, 'data')

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
        assert.notEqual(digText(orSkip(members[0], 'no members'), 'nation_name'), '')
      })
    })

    specTest('war: itself and its battles', async () => {
      const warId = digText(await world.foughtWar(), 'id')
      await onBothBases(async base => {
        const war = await one(`${base}/wars/${warId}`)
        const battles = await items(`${base}/wars/${warId}/battles`)
        const nations = nationsOfWar(war)
        assert.ok(battles.length > 0)
        for (const battle of battles) {
          assert.equal(battle.war_id, warId)
          assert.ok(nations.includes(battle.attacker_nation_id))
          assert.ok(nations.includes(battle.defender_nation_id))
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

    for (const [title, path, members] of lists)
      specTest(title, () =>
        onBothBases(async base => {
          const item = orSkip((await items(base + path))[0], `the world has nothing under ${path}`)
          for (const member of members) assert.notEqual(digText(item, member), '')
        }),
      )

    specTest('market: each price is a number', () =>
      onBothBases(async base => {
        for (const { price } of await items(`${base}/market/price`)) assert.equal(typeof price, 'number')
      }),
    )

    specTest('conflict: global conflicts and their sides', () =>
      onBothBases(async base => {
        const conflicts = await items(`${base}/global-conflicts`)
        for (const conflict of conflicts) assert.notEqual(digText(conflict, 'name'), '')
        const sides = conflicts.flatMap(conflict => digList(conflict, 'sides'))
        if (sides.length === 0) skip('the world has no global conflict with sides')
        for (const side of sides) assert.notEqual(digText(side, 'name'), '')
      }),
    )

    specTest('era: at most one era is active', () =>
      onBothBases(async base => {
        const eras = await items(`${base}/eras`)
        assert.ok(eras.filter(era => era.status === 'active').length <= 1)
      }),
    )
  })
}
