import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chunkSize } from '../../src/ingest/batch.ts'
import { roundLock } from '../../src/store/locks.ts'
import { alliance, member, nation, put, remove, war } from '../ingest/facts.ts'
import { withoutRounds } from '../support/database-url.ts'
import { useTestServer } from '../support/fixture.ts'
import type { Fact } from '../support/test-server.ts'

const chancery = useTestServer()

interface Listed {
  data: { id?: string; nation?: { id: string }; alliance?: { id: string } }[]
  pagination: { total: number }
}

const listed = async (query: string) =>
  (await chancery.read<{ data: { id: string }[] }>(`/nations?${query}`)).data.map(({ id }) => id)

const ingest = (...facts: Fact[]) => chancery.ingest(facts, { waits: false })

test('total counts just what the pages list, before the first ranking round and after deletions', () =>
  withoutRounds(chancery, async client => {
    const pagesOf = async (path: string) => {
      const { data, pagination } = await chancery.read<Listed>(`${path}limit=100`)
      assert.equal(pagination.total, data.length, path)
      const single = []
      for (let page = 1; page <= pagination.total + 1; page += 1) {
        const one = await chancery.read<Listed>(`${path}limit=1&page=${page}`)
        assert.equal(one.pagination.total, pagination.total, `${path}page=${page}`)
        single.push(...one.data)
      }
      assert.deepEqual(single, data, path)
      return data.map(item => item.id ?? item.nation?.id ?? item.alliance?.id)
    }
    const everyList = async () => [
      await pagesOf('/nations?'),
      await pagesOf('/rankings?'),
      await pagesOf('/alliances?'),
      await pagesOf('/rankings?board=alliances&'),
    ]
    assert.deepEqual(await everyList(), [[], [], [], []])
    const names = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']
    await ingest(...names.map(id => nation(id)), alliance('q1'), alliance('q2'))
    assert.deepEqual(await everyList(), [names, [], ['q1', 'q2'], []])
    await client.query('select pg_advisory_unlock_all()')
    await chancery.ingest([nation('p7')])
    await client.query(`select pg_advisory_lock(${roundLock})`)
    const deleted = ['p1', 'p3', 'p7'].map(id => remove('nation', id))
    await ingest(...deleted, nation('p8'), nation('p0'))
    await ingest(remove('alliance', 'q1'), alliance('q3'))
    const [nations, ranked, alliances, rankedAlliances] = await everyList()
    assert.deepEqual(nations, ['p2', 'p4', 'p5', 'p6', 'p0', 'p8'])
    assert.deepEqual(ranked, ['p2', 'p4', 'p5', 'p6'])
    assert.deepEqual(alliances, ['q2', 'q3'])
    assert.deepEqual(rankedAlliances, ['q2'])
    // New nations take the positions of new ones that were deleted.
    await ingest(remove('nation', 'p8'), remove('nation', 'p0'))
    await ingest(nation('p9'))
    assert.deepEqual((await everyList())[0], ['p2', 'p4', 'p5', 'p6', 'p9'])
  }))

test('a nation with one changed field is listed by it at once', () =>
  withoutRounds(chancery, async () => {
    await ingest(...['n1', 'n2'].map(id => nation(id, { national_score: 5 })))
    const changes: [more: object, query: string][] = [
      [{ national_score: 50 }, 'min_score=40'],
      [{ status: 'vacation' }, 'status=vacation'],
      [{ leader_name: 'Another leader' }, 'search=another'],
      [{ nation_name: 'Elsewhere' }, 'search=elsewh'],
    ]
    for (const [more, query] of changes) {
      assert.deepEqual(await listed(query), [])
      await ingest(put('nation', { id: 'n1', ...more }))
      assert.deepEqual(await listed(query), ['n1'])
    }
  }))

test('a nation without a position, as after a restore, gets one when it changes', () =>
  withoutRounds(chancery, async client => {
    await client.query('delete from chancery_world.nation_ranking')
    assert.deepEqual(await listed('min_score=60'), [])
    await ingest(nation('n2', { national_score: 70 }))
    assert.deepEqual(await listed('min_score=60'), ['n2'])
  }))

test('new nations are listed by id and nothing survives a deletion, wherever the chunks of a batch end', () =>
  withoutRounds(chancery, async client => {
    const observed = async (prefix: string, secrets: number) => {
      const id = (name: string) => `${prefix}-${name}`
      const reborn = nation(id('reborn'), { player: id('player') })
      await ingest(
        nation(id('reborn'), {
          player: id('player'),
          military: { readiness: 50 },
          assignments: [
            { alliance_id: id('a'), kind: 'defend', target_nation_id: null, note: null, due_at: null },
          ],
          moderation_notes: 'warned',
          attributes: { war_weariness: 3 },
        }),
        alliance(id('a')),
        member(id('reborn'), id('a')),
        put('alliance_application', { nation_id: id('reborn'), alliance_id: id('a') }),
        war(id('w'), id('reborn'), 'n1'),
        alliance(id('again'), { treasury: { credits: 5, resources: {} } }),
      )
      await client.query(
        `insert into chancery_world.nation_rank_previous_day (nation_id, rank) values ('${id('reborn')}', 7)
         on conflict (nation_id) do nothing`,
      )
      const code = await chancery.makeCode(id('reborn'))
      await ingest(
        // Fields for operators fill the first chunk.
        ...Array.from({ length: secrets }, (_, index) =>
          put('nation', { id: 'n2', moderation_notes: `${index}` }),
        ),
        nation(id('zeta')),
        remove('nation', id('reborn')),
        reborn,
        nation(id('alpha')),
        remove('alliance', id('again')),
        alliance(id('again')),
      )
      const found = await chancery.read<{ data: { id: string; rank: unknown; wars: object }[] }>(
        `/nations?min_score=0&limit=100`,
      )
      const { rows } = await client.query<object>(`
        select p.*, (select y.rank from chancery_world.nation_rank_previous_day y where y.nation_id = p.nation_id) as rank_of_yesterday,
          (select count(*)::int from chancery_secret.alliance_application a where a.nation_id = p.nation_id) as applications,
          (select s.treasury from chancery_secret.alliance_private s where s.alliance_id = '${id('again')}') as treasury
        from chancery_secret.nation_private p where p.nation_id = '${id('reborn')}'`)
      const { updated_at: _, ...shown } = (
        await chancery.read<{ data: Record<string, unknown> }>(`/nations/${id('reborn')}`)
      ).data
      return JSON.parse(
        JSON.stringify({
          order: found.data.filter(item => item.id.startsWith(`${prefix}-`)).map(item => item.id),
          verified: (await chancery.get(`/discord/verify/${code}`)).status,
          kept: rows[0],
          shown,
        }).replaceAll(`${prefix}-`, ''),
      )
    }
    const one = await observed('c0', 0)
    assert.deepEqual([one.order, one.verified], [['alpha', 'reborn', 'zeta'], 404])
    assert.deepEqual(one.kept, {
      nation_id: 'reborn',
      military: null,
      economy: null,
      production: null,
      assignments: null,
      player: 'player',
      moderation_notes: null,
      attributes: {},
      admin_attributes: {},
      rank_of_yesterday: null,
      applications: 0,
      treasury: null,
    })
    assert.deepEqual(one.shown.wars, { active_offensive: 1, active_defensive: 0, won: 0, lost: 0 })
    // The first chunk ends after each of the facts about nations in turn.
    for (const before of [1, 2, 3])
      assert.deepEqual(await observed(`c${before}`, chunkSize - before), one, `${before} in the first chunk`)
  }))
