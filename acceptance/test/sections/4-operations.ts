import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { canonical, mirror, onBothBases } from '../../src/client.ts'
import { describeExchange, expectError, expectItems, expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { dig, digList, digNumber, digText, type JsonObject, nationsOfWar } from '../../src/json.ts'
import { fill } from '../../src/operations.ts'
import { skip, specTest } from '../../src/spec-test.ts'
import { readUnchanged } from '../../src/world.ts'

export function theOperations({ client, reads, world }: Fixture): void {
  describe('4.1 Both bases behave identically', () => {
    // A key reports its own usage, which each request changes.
    for (const { path, isPublic } of reads.filter(({ path }) => path !== '/me/key')) {
      specTest(`${path}: the same response`, async () => {
        const filled = await fill(path, world)
        const read = (base: string) => async () =>
          withoutRequestId((await client.request(base + filled)).json)
        const { item, others } = await readUnchanged(read(canonical), read(mirror))
        assert.deepEqual(others, item)
        if (isPublic) assert.notEqual(dig(item, 'data'), undefined)
      })
    }

    specTest('an error is the same on both', async () => {
      for (const path of [
        '/nations/no-such-nation',
        '/nations?limit=0',
        '/nowhere',
        '/rankings?board=bots',
      ]) {
        const [one, other] = [await client.request(canonical + path), await client.request(mirror + path)]
        assert.equal(one.status, other.status)
        assert.deepEqual(withoutRequestId(one.json), withoutRequestId(other.json))
      }
    })
  })

  describe('4.2 What each operation takes and returns', () => {
    specTest('/nations?search= finds the nations whose name contains the text, in any case', async () => {
      const { id, nation_name } = await world.owner()
      const text = String(nation_name).slice(1, 5).toUpperCase()
      await onBothBases(async base => {
        const path = `${base}/nations?limit=100&search=${encodeURIComponent(text)}`
        const items = expectItems(await client.request(path))
        for (const item of items) assert.ok(isNamed(item, text), `${path} found ${JSON.stringify(item)}`)
        assert.ok(items.length === 100 || items.some(item => item.id === id), `${path} did not find ${id}`)
      })
    })

    specTest('/nations?search= finds nothing for an unknown name, and % and _ are no wildcards', () =>
      onBothBases(async base => {
        for (const text of ['an unknown name', '%25', '____']) {
          const { json } = expectStatus(
            await client.request(`${base}/nations?search=${encodeURIComponent(text)}`),
            200,
          )
          assert.deepEqual(json, { data: [], pagination: { page: 1, limit: 25, total: 0, pages: 0 } })
        }
      }),
    )

    specTest('/nations?search= can be combined with page and limit', async () => {
      const letter = String((await world.owner()).nation_name).slice(0, 1)
      await onBothBases(async base => {
        const body = await client.read(`${base}/nations?search=${encodeURIComponent(letter)}&page=2&limit=1`)
        const { data, pagination } = { data: digList(body, 'data'), pagination: dig(body, 'pagination') }
        const total = digNumber(pagination, 'total')
        assert.deepEqual(pagination, { page: 2, limit: 1, total, pages: total })
        assert.equal(data.length, total > 1 ? 1 : 0)
      })
    })

    for (const path of ['/nations', '/alliances', '/treaties', '/wars', '/battles']) {
      specTest(`${path}/{id} of an unknown id is 404`, () =>
        onBothBases(async base => {
          for (const id of ['no-such-id', '0', `${'x'.repeat(200)}`, '%E2%98%83', "'", '..%2f..'])
            expectError(await client.request(`${base}${path}/${id}`), 404, 'not_found')
        }),
      )
    }

    specTest('lists below an unknown id are 404', () =>
      onBothBases(async base => {
        for (const path of ['/alliances/no-such-id/members', '/wars/no-such-id/battles'])
          expectError(await client.request(base + path), 404, 'not_found')
      }),
    )

    specTest('/alliances/{id}/members are the nations of that alliance', async () => {
      const allianceId = await world.allianceId()
      await onBothBases(async base => {
        const members = await client.request(`${base}/alliances/${allianceId}/members?limit=100`)
        const [first] = expectItems(members)
        const nation = expectStatus(await client.request(`${base}/nations/${first?.nation_id}`), 200).json
        assert.equal(dig(nation, 'data.alliance.alliance_id'), allianceId)
        const alliance = expectStatus(await client.request(`${base}/alliances/${allianceId}`), 200).json
        assert.equal(dig(alliance, 'data.member_count'), dig(members.json, 'pagination.total'))
      })
    })

    specTest('/treaties are between two alliances or two nations, and each filter returns only its own', () =>
      onBothBases(async base => {
        const treaties = expectItems(await client.request(`${base}/treaties?limit=100`))
        if (treaties.length === 0) skip('the world has no treaty')
        const fields = {
          nation_id: 'nation_ids',
          alliance_id: 'alliance_ids',
          type: 'types',
          status: 'status',
        }
        const valuesOf = (treaty: JsonObject, filter: keyof typeof fields) =>
          [treaty[fields[filter]]].flat().map(String)
        for (const treaty of treaties) {
          const parties = [valuesOf(treaty, 'nation_id').length, valuesOf(treaty, 'alliance_id').length]
          assert.deepEqual(parties.toSorted(), [0, 2], `treaty ${treaty.id}`)
          assert.equal(treaty.type, valuesOf(treaty, 'type')[0])
        }
        for (const filter of Object.keys(fields) as (keyof typeof fields)[]) {
          const value = treaties.flatMap(treaty => valuesOf(treaty, filter))[0]
          if (value === undefined) continue
          const exchange = await client.request(`${base}/treaties?${filter}=${value}&limit=100`)
          const found = expectItems(exchange)
          assert.ok(found.length > 0, describeExchange(exchange))
          for (const treaty of found)
            assert.ok(valuesOf(treaty, filter).includes(value), `${exchange.url} contains ${treaty.id}`)
        }
      }),
    )

    specTest('/wars?status=active returns only active wars', () =>
      onBothBases(async base => {
        const active = await client.request(`${base}/wars?status=active&limit=100`)
        const items = expectItems(active)
        if (items.length === 0) skip('the world has no active war')
        for (const war of items) assert.equal(war.status, 'active', describeExchange(active))
        const known = (await world.wars()).filter(war => war.status === 'active').map(war => war.id)
        const listed = new Set(items.map(war => war.id))
        const ended = known.filter(id => !listed.has(id))
        // A war may have ended since the list was read: then it has a new status.
        for (const id of items.length < 100 ? ended : []) {
          const war = expectStatus(await client.request(`${base}/wars/${id}`), 200).json
          assert.equal(dig(war, 'data.status'), 'ended', `active war ${id} is not listed`)
        }
      }),
    )

    specTest(
      '/wars?nation_id= returns the wars of which that nation is a side or a participant',
      async () => {
        const someWar = await world.foughtWar().catch(() => world.activeWar())
        await onBothBases(async base => {
          for (const side of ['attacker', 'defender']) {
            const nationId = digText(someWar, `${side}.nation_id`)
            const exchange = await client.request(`${base}/wars?nation_id=${nationId}&limit=100`)
            const items = expectItems(exchange)
            for (const war of items)
              assert.ok(nationsOfWar(war).includes(nationId), `${exchange.url} contains ${war.id}`)
            assert.ok(
              items.length === 100 || items.some(war => war.id === someWar.id),
              describeExchange(exchange),
            )
          }
          const none = await client.request(`${base}/wars?nation_id=no-such-id`)
          assert.equal(expectItems(none).length, 0)
        })
      },
    )

    specTest('/wars?status=active&nation_id= combines both filters', async () => {
      const nationId = digText(await world.activeWar(), 'attacker.nation_id')
      await onBothBases(async base => {
        const path = `${base}/wars?status=active&nation_id=${nationId}&limit=100`
        for (const war of expectItems(await client.request(path))) {
          assert.equal(war.status, 'active')
          assert.ok(nationsOfWar(war).includes(nationId))
        }
      })
    })

    specTest('/wars?status= rejects other values', () =>
      onBothBases(async base => {
        const message = expectError(
          await client.request(`${base}/wars?status=lively`),
          400,
          'invalid_parameter',
        )
        assert.match(message, /status/)
      }),
    )

    specTest('/wars/{id}/battles are of that war, as many as it counts', async () => {
      const warId = digText(await world.foughtWar(), 'id')
      await onBothBases(async base => {
        const read = async () =>
          digNumber((await client.request(`${base}/wars/${warId}`)).json, 'data.battles_count')
        const { item, others } = await readUnchanged(read, () =>
          client.request(`${base}/wars/${warId}/battles?limit=100`),
        )
        for (const battle of expectItems(others)) assert.equal(battle.war_id, warId)
        assert.equal(dig(others.json, 'pagination.total'), item)
      })
    })

    specTest('/market/price has one item for each resource', () =>
      onBothBases(async base => {
        const resources = expectItems(await client.request(`${base}/market/price?limit=100`)).map(
          item => item.resource,
        )
        if (resources.length === 0) skip('the world has no market')
        assert.equal(new Set(resources).size, resources.length)
      }),
    )

    specTest('/market/rankings has the resources of the market ordered by rank', () =>
      onBothBases(async base => {
        const items = expectItems(await client.request(`${base}/market/rankings?limit=100`))
        if (items.length === 0) skip('the world has no market')
        assertPlaces(items, 'traded_value_24h')
      }),
    )

    for (const [board, member, score] of [
      ['nations', 'nation', 'national_score'],
      ['alliances', 'alliance', 'total_score'],
    ] as const) {
      specTest(`/rankings?board=${board} ranks ${board}, the highest ${score} first`, () =>
        onBothBases(async base => {
          const items = expectItems(await client.request(`${base}/rankings?board=${board}&limit=100`))
          if (items.length === 0) skip(`the world has no ${board}`)
          for (const item of items) digText(item, `${member}.id`)
          assertPlaces(items, score)
          assert.equal(items[0]?.rank, 1)
        }),
      )
    }

    specTest('/rankings ranks by each attribute that /game states as ranked, the highest value first', () =>
      onBothBases(async base => {
        const { json } = await client.request(`${base}/game`)
        const keys = digList(json, 'data.attributes.nation').flatMap(({ key, ranked }) =>
          ranked === true ? [String(key)] : [],
        )
        if (keys.length === 0) skip('the game ranks no attribute of nations')
        for (const key of keys) {
          const items = expectItems(await client.request(`${base}/rankings?attribute=${key}&limit=100`))
          assertPlaces(items, 'value')
          assert.ok(items.length === 0 || items[0]?.rank === 1)
        }
      }),
    )

    specTest('/rankings rejects attributes that are not ranked', () =>
      onBothBases(async base => {
        for (const query of ['attribute=no_such_attribute', 'board=alliances&attribute=no_such_attribute']) {
          const message = expectError(
            await client.request(`${base}/rankings?${query}`),
            400,
            'invalid_parameter',
          )
          assert.match(message, /attribute/)
        }
      }),
    )

    specTest('/rankings rejects boards other than nations and alliances', () =>
      onBothBases(async base => {
        for (const board of ['players', 'Nations', 'nations,alliances']) {
          const exchange = await client.request(`${base}/rankings?board=${board}`)
          const message = expectError(exchange, 400, 'invalid_parameter')
          for (const word of [/board/, /nations/, /alliances/]) assert.match(message, word)
        }
      }),
    )

    specTest('an unknown parameter is ignored', async () => {
      const { id } = await world.owner()
      await onBothBases(async base => {
        await client.read(`${base}/nations/${id}?colour=red&limit=0`)
        await client.read(`${base}/nations?colour=red`)
      })
    })

    specTest('a misspelled parameter is rejected, and the message suggests the right one', () =>
      onBothBases(async base => {
        for (const name of ['nationid', 'nation-id', 'NATION_ID', 'nation_ids', 'natoin_id']) {
          const exchange = await client.request(`${base}/wars?${name}=none`)
          assert.match(expectError(exchange, 400, 'invalid_parameter'), /`nation_id`/)
        }
      }),
    )

    specTest(
      'a list parameter has one result in every spelling, and an empty one selects nothing',
      async () => {
        const { id } = await world.owner()
        await onBothBases(async base => {
          for (const query of [
            `ids=${id},none`,
            `ids=none&ids=${id}`,
            `ids[]=${id}&ids[]=none`,
            `ids%5B%5D=none&ids%5B%5D=${id}`,
            `ids=none,%20${id}`,
            `ids=none,+${id}`,
          ]) {
            const items = expectItems(await client.request(`${base}/nations?${query}`))
            assert.deepEqual(
              items.map(item => item.id),
              [id],
              query,
            )
          }
          assert.deepEqual(expectItems(await client.request(`${base}/nations?ids=`)), [])
          expectError(await client.request(`${base}/nations?ids=${id}%20none`), 400, 'invalid_parameter')
        })
      },
    )

    specTest('a repeated parameter is rejected', () =>
      onBothBases(async base => {
        const message = expectError(
          await client.request(`${base}/nations?limit=5&limit=6`),
          400,
          'invalid_parameter',
        )
        assert.match(message, /limit/)
      }),
    )
  })
}

function withoutRequestId(body: unknown): unknown {
  const { error, ...rest } = (body ?? {}) as JsonObject
  return error === undefined ? rest : { code: dig(error, 'code'), message: dig(error, 'message') }
}

const isNamed = ({ nation_name, leader_name }: JsonObject, text: string) =>
  [nation_name, leader_name].some(name => String(name).toLowerCase().includes(text.toLowerCase()))

/** Places go up from the first to the last, as scores go down. */
function assertPlaces(items: JsonObject[], score: string): void {
  items.forEach((item, index) => {
    const before = items[index - 1]
    if (!before) return
    assert.ok(digNumber(item, 'rank') >= digNumber(before, 'rank'), `places ${index} and ${index + 1}`)
    const [higher, lower] = [before[score], item[score]]
    if (typeof higher === 'number' && typeof lower === 'number')
      assert.ok(lower <= higher, `${score} of places ${index} and ${index + 1}`)
  })
}
