import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { canonical, onBothBases } from '../../src/client.ts'
import { expectError, expectItems } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { words } from '../../src/fuzz/odd-texts.ts'
import { dig, digList, digNumber, digText } from '../../src/json.ts'
import { skip, specTest } from '../../src/spec-test.ts'
import { readUnchanged } from '../../src/world.ts'

/** The event types of every game. */
const kinds = words(`
  war.declared war.ended battle.fought alliance.founded alliance.renamed alliance.disbanded
  alliance.member_joined alliance.member_left alliance.rank_changed treaty.signed treaty.ended
  treaty.signed_between_nations treaty.ended_between_nations
  nation.founded nation.renamed nation.deleted conflict.started conflict.joined conflict.ended
  era.started era.ended news.published market.price_moved strategic_weapon.launched
  strategic_weapon.intercepted
`)

export function events({ client }: Fixture): void {
  const ofType = (base: string, type: string, more = '') =>
    client.request(`${base}/events?type=${encodeURIComponent(type)}${more}`)

  describe('6. Events', () => {
    specTest('the feed is read with GET /events, newest first, its numbers without gap', () =>
      onBothBases(async base => {
        const exchange = await client.request(`${base}/events?limit=100`)
        const numbers = expectItems(exchange).map(event => digNumber(event, 'seq'))
        if (numbers.length === 0) skip('the world has no event')
        const [newest = 0] = numbers
        assert.deepEqual(
          numbers,
          numbers.map((_, index) => newest - index),
        )
      }),
    )

    for (const type of kinds) {
      specTest(`type=${type} returns only this type`, () =>
        onBothBases(async base => {
          const exchange = await ofType(base, type, '&limit=100')
          for (const event of expectItems(exchange)) assert.equal(event.type, type, exchange.url)
        }),
      )
    }

    specTest('type returns all events of the type', async () => {
      const read = async () => expectItems(await client.request(`${canonical}/events?limit=100`))
      const { item, others } = await readUnchanged(read, async () => {
        const [event] = await read()
        const type = digText(event ?? skip('the world has no event'), 'type')
        return { type, found: expectItems(await ofType(canonical, type, '&limit=100')) }
      })
      const wanted = item.filter(event => event.type === others.type)
      assert.deepEqual(others.found.slice(0, wanted.length), wanted)
    })

    specTest('strategic_weapon.launched has attacker, defender and weapon', () =>
      onBothBases(async base => {
        const launches = expectItems(await ofType(base, 'strategic_weapon.launched'))
        if (launches.length === 0) skip('no strategic weapon was launched in this world')
        for (const { data, summary, nation_ids } of launches) {
          for (const member of ['weapon', 'attacker_nation_id', 'defender_nation_id'])
            assert.equal(typeof dig(data, member), 'string', String(summary))
          assert.ok(Array.isArray(nation_ids) && nation_ids.includes(dig(data, 'attacker_nation_id')))
        }
      }),
    )

    specTest('a type prefix and several types can be filtered', () =>
      onBothBases(async base => {
        for (const event of expectItems(await ofType(base, 'war.*')))
          assert.match(String(event.type), /^war\./)
        for (const event of expectItems(await ofType(base, 'war.ended,treaty.signed')))
          assert.match(String(event.type), /^(war\.ended|treaty\.signed)$/)
      }),
    )

    specTest('an unknown type is rejected', () =>
      onBothBases(async base => {
        const message = expectError(await ofType(base, 'no.such_kind'), 400, 'invalid_parameter')
        assert.match(message, /type/)
      }),
    )

    specTest('type can be combined with page and limit', () =>
      onBothBases(async base => {
        const read = async () => expectItems(await ofType(base, 'battle.fought', '&limit=4'))
        const { item, others } = await readUnchanged(read, async () => [
          ...expectItems(await ofType(base, 'battle.fought', '&limit=2&page=1')),
          ...expectItems(await ofType(base, 'battle.fought', '&limit=2&page=2')),
        ])
        if (item.length < 4) skip('the world has fewer than 4 battles')
        assert.deepEqual(others, item)
      }),
    )

    specTest('the log can be followed by number, and a number beyond its end is an error', () =>
      onBothBases(async base => {
        const [newest] = expectItems(await client.request(`${base}/events?limit=1`))
        const seq = digNumber(newest ?? skip('the world has no event'), 'seq')
        const [next] = expectItems(await client.request(`${base}/events?after=${seq - 1}&limit=1`))
        assert.equal(next?.seq, seq)
        expectError(await client.request(`${base}/events?after=${seq + 1_000_000}`), 410, 'cursor_expired')
      }),
    )

    specTest('history is read with /events and /news, news newest first', () =>
      onBothBases(async base => {
        const items = digList(await client.read(`${base}/news?limit=100`), 'data')
        if (items.length === 0) skip('the world has no news')
        const times = items.map(item => Date.parse(String(item.published_at)))
        assert.deepEqual(
          times,
          times.toSorted((one, other) => other - one),
        )
      }),
    )
  })
}
