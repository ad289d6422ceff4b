import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe } from 'node:test'
import { onBothBases } from '../../src/client.ts'
import { expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { asRecord, dig, digList, digNumber, digText } from '../../src/json.ts'
import { fill, withQuery } from '../../src/operations.ts'
import { skip, specTest } from '../../src/spec-test.ts'

export function resourcesAndTheirFields({ api, client, reads, world }: Fixture): void {
  describe('2.1 List envelope', () => {
    for (const { path } of reads.filter(({ isList }) => isList)) {
      specTest(`${path}: data, and pagination with page, limit, total and pages`, async () => {
        const filled = await fill(path, world)
        await onBothBases(async base => {
          const body = await client.read(withQuery(base + filled, 'limit=7'))
          assert.deepEqual(Object.keys(asRecord(body)).sort(), ['data', 'pagination'])
          const total = digNumber(body, 'pagination.total')
          const pages = Math.ceil(total / 7)
          assert.deepEqual(dig(body, 'pagination'), { page: 1, limit: 7, total, pages })
        })
      })
    }
  })

  describe('2.3 Resources: every member has its name and its type', () => {
    specTest('the server documents every operation, resource and member of the contract', async () => {
      const text = await readFile(new URL('../../../contract/openapi.json', import.meta.url), 'utf8')
      const contract: unknown = JSON.parse(text)
      for (const path of Object.keys(asRecord(dig(contract, 'paths'))))
        assert.ok(path in asRecord(dig(api.document, 'paths')), `${path} is not documented`)
      const missing = Object.entries(asRecord(dig(contract, 'components.schemas'))).flatMap(
        ([name, schema]) =>
          Object.keys(asRecord(dig(schema, 'properties') ?? {}))
            .filter(
              member => dig(api.document, `components.schemas.${name}.properties.${member}`) === undefined,
            )
            .map(member => `${name}.${member}`),
      )
      assert.deepEqual(missing, [])
    })

    for (const { path } of reads.filter(({ isPublic }) => isPublic)) {
      specTest(`${path} returns what is documented`, async () => {
        const filled = await fill(path, world)
        await onBothBases(async base => {
          const data = dig(await client.read(withQuery(base + filled, 'limit=100')), 'data')
          if (Array.isArray(data) && data.length === 0) skip(`the world has nothing under ${path}`)
        })
      })
    }

    specTest('ended wars have the members of active wars', () =>
      onBothBases(async base => {
        const ended = await client.read(`${base}/wars?status=ended&limit=100`)
        if (digList(ended, 'data').length === 0) skip('the world has no war that has ended')
      }),
    )

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
