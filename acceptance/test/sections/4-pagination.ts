import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { canonical, onBothBases } from '../../src/client.ts'
import { describeExchange, expectError, expectItems, expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { dig, digNumber } from '../../src/json.ts'
import { fill, withQuery } from '../../src/operations.ts'
import { skip, specTest } from '../../src/spec-test.ts'
import { readUnchanged } from '../../src/world.ts'

const wrongLimits = ['0', '-1', '1.5', '1e1', 'ten', '%2B5', '0x10', '99999999999999999999']
/** Histories, which the specification does not name, have longer pages: a page shows a year of days. */
const sizesOf = (path: string) =>
  path.includes('/history') ? { max: 400, usual: 100 } : { max: 100, usual: 25 }
const wrongPages = ['0', '-1', '1.5', 'one', '1e1', '%201']
const farPages = ['1000000', '9007199254740993', '99999999999999999999999']
/** Longer lists are not read completely. */
const walkedPagesMax = 150

export function pagination({ client, reads, world }: Fixture): void {
  describe('4.2 Pagination on every list endpoint', () => {
    for (const { path } of reads.filter(({ isList }) => isList)) {
      const { max, usual } = sizesOf(path)
      const at = async (base: string, query = '') => {
        const filled = await fill(path, world)
        return client.request(query ? withQuery(base + filled, query) : base + filled)
      }

      specTest(`${path}: page defaults to 1 and limit to ${usual}`, () =>
        onBothBases(async base => {
          const exchange = await at(base)
          const items = expectItems(exchange)
          assert.equal(dig(exchange.json, 'pagination.page'), 1, describeExchange(exchange))
          assert.equal(dig(exchange.json, 'pagination.limit'), usual, describeExchange(exchange))
          assert.equal(items.length, Math.min(usual, digNumber(exchange.json, 'pagination.total')))
        }),
      )

      specTest(`${path}: limit is an integer from 1 to ${max}`, () =>
        onBothBases(async base => {
          for (const limit of [1, max]) {
            const exchange = await at(base, `limit=${limit}`)
            const items = expectItems(exchange)
            assert.equal(dig(exchange.json, 'pagination.limit'), limit)
            assert.equal(items.length, Math.min(limit, digNumber(exchange.json, 'pagination.total')))
          }
          for (const limit of [...wrongLimits, String(max + 1)]) {
            const message = expectError(await at(base, `limit=${limit}`), 400, 'invalid_parameter')
            assert.match(message, new RegExp(`limit.*1.*${max}`))
          }
        }),
      )

      specTest(`${path}: page is an integer from 1`, () =>
        onBothBases(async base => {
          for (const page of wrongPages)
            assert.match(expectError(await at(base, `page=${page}`), 400, 'invalid_parameter'), /page/)
          for (const page of farPages) {
            const exchange = await at(base, `page=${page}`)
            assert.equal(expectItems(exchange).length, 0, `${exchange.url} is past the end`)
          }
        }),
      )

      specTest(`${path}: pages have no gaps or repetitions`, () =>
        onBothBases(async base => {
          const read = async () => expectItems(await at(base, 'limit=6'))
          const { item, others } = await readUnchanged(read, async () => [
            ...expectItems(await at(base, 'limit=2&page=1')),
            ...expectItems(await at(base, 'limit=2&page=2')),
            ...expectItems(await at(base, 'limit=2&page=3')),
          ])
          if (item.length < 3) skip('the world has no second page of these')
          assert.deepEqual(others, item)
        }),
      )

      specTest(`${path}: total is the number of items on all pages`, async () => {
        // With the last page: an item of /changes that changes again moves there, and the total stays.
        const read = async () => {
          const pagination = dig(expectStatus(await at(canonical, 'limit=100'), 200).json, 'pagination')
          const page = Math.max(1, digNumber(pagination, 'pages'))
          return { pagination, last: expectItems(await at(canonical, `limit=100&page=${page}`)) }
        }
        const { item, others } = await readUnchanged(read, async () => {
          const pages = digNumber((await read()).pagination, 'pages')
          if (pages > walkedPagesMax) return undefined
          let items = 0
          for (let page = 1; page <= pages + 1; page += 1)
            items += expectItems(await at(canonical, `limit=100&page=${page}`)).length
          return items
        })
        if (others === undefined) skip(`this list has more than ${walkedPagesMax} pages of 100`)
        assert.equal(others, digNumber(item.pagination, 'total'))
      })
    }
  })
}
