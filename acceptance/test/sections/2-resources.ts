import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { onBothBases } from '../../src/client.ts'
import { expectBody, expectItems, expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { dig, digNumber, digText } from '../../src/json.ts'
import { anyObject, assertShape, count, listOf, object, position } from '../../src/shape.ts'
import { skip, specTest } from '../../src/spec-test.ts'
import { fill, lists, operations, withQuery } from '../operations.ts'

const envelope = object({
  data: listOf(anyObject),
  pagination: object({ page: position, limit: position, total: count, pages: count }),
})

export function resourcesAndTheirFields({ client, world }: Fixture): void {
  describe('2.1 List envelope', () => {
    for (const { path } of lists) {
      specTest(
        `${path}: data, and pagination with page, limit, total and pages, and nothing else`,
        async () => {
          const filled = await fill(path, world)
          await onBothBases(async base => {
            const body = expectBody(await client.request(withQuery(base + filled, 'limit=7')), envelope)
            const total = digNumber(body, 'pagination.total')
            assert.equal(digNumber(body, 'pagination.page'), 1)
            assert.equal(digNumber(body, 'pagination.limit'), 7)
            assert.equal(digNumber(body, 'pagination.pages'), Math.ceil(total / 7))
          })
        },
      )
    }
  })

  describe('2.3 Other resources: every member has its name and its type', () => {
    for (const { path, returns, body } of operations) {
      if (!body) continue
      specTest(`${path} returns ${returns}`, async () => {
        const filled = await fill(path, world)
        await onBothBases(async base => {
          const exchange = await client.request(withQuery(base + filled, 'limit=100'))
          expectBody(exchange, body)
          if (Array.isArray(dig(exchange.json, 'data')) && expectItems(exchange).length === 0)
            skip(`the world has nothing under ${path}`)
        })
      })
    }

    specTest('ended wars have the members of active wars', async () => {
      const body = operations.find(({ path }) => path === '/wars')?.body
      await onBothBases(async base => {
        const ended = await client.request(`${base}/wars?status=ended&limit=100`)
        if (expectItems(ended).length === 0) skip('the world has no war that has ended')
        assertShape(body ?? anyObject, ended.json, 'body', ended.url)
      })
    })

    specTest('one nation, one alliance and one war are those of their lists', async () => {
      const [someWar] = await world.wars()
      await onBothBases(async base => {
        for (const [path, item] of [
          ['/nations', await world.owner()],
          ['/wars', someWar ?? skip('the world has no war')],
        ] as const) {
          const id = digText(item, 'id')
          const body = expectStatus(await client.request(`${base}${path}/${id}`), 200).json
          assert.equal(dig(body, 'data.id'), id)
        }
        const member = await world.owner()
        const allianceId = dig(member, 'alliance.alliance_id')
        if (typeof allianceId !== 'string') return
        const body = expectStatus(await client.request(`${base}/alliances/${allianceId}`), 200).json
        assert.equal(dig(body, 'data.id'), allianceId)
        assert.equal(dig(body, 'data.name'), dig(member, 'alliance.alliances.name'))
        assert.equal(dig(body, 'data.tag'), dig(member, 'alliance.alliances.tag'))
      })
    })
  })
}
