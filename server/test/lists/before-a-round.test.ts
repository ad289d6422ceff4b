import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chunkSize } from '../../src/ingest/batch.ts'
import { roundLock } from '../../src/store/locks.ts'
import { alliance, member, nation, put, war } from '../ingest/facts.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let chancery: TestServer
before(async () => {
  chancery = await startTestServer()
})
after(() => chancery.close())

interface Listed {
  data: { id?: string; nation?: { id: string }; alliance?: { id: string } }[]
  pagination: { total: number }
}

const listed = async (query: string) =>
  (await chancery.read<{ data: { id: string }[] }>(`/nations?${query}`)).data.map(({ id }) => id)

/** Whoever holds this lock keeps ranking rounds away. */
const withoutRounds = (work: (query: (text: string) => Promise<unknown>) => Promise<void>) =>
  withConnection(chancery.databaseUrl, async client => {
    await client.query('select pg_advisory_lock($1)', [roundLock])
    await work(text => client.query(text))
  })

test('total counts just what the pages list, before the first ranking round and after deletions', () =>
  withoutRounds(async query => {
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
    await chancery.ingest([...names.map(id => nation(id)), alliance('q1'), alliance('q2')], { waits: false })
    assert.deepEqual(await everyList(), [names, [], ['q1', 'q2'], []])
    await query('select pg_advisory_unlock_all()')
    await chancery.ingest([nation('p7')])
    await query(`select pg_advisory_lock(${roundLock})`)
    const gone = (id: string) => ({ op: 'delete', resource: 'nation', id })
    await chancery.ingest([gone('p1'), gone('p3'), gone('p7'), nation('p8'), nation('p0')], { waits: false })
    await chancery.ingest([{ op: 'delete', resource: 'alliance', id: 'q1' }, alliance('q3')], {
      waits: false,
    })
    const [nations, ranked, alliances, rankedAlliances] = await everyList()
    assert.deepEqual(nations, ['p2', 'p4', 'p5', 'p6', 'p0', 'p8'])
    assert.deepEqual(ranked, ['p2', 'p4', 'p5', 'p6'])
    assert.deepEqual(alliances, ['q2', 'q3'])
    assert.deepEqual(rankedAlliances, ['q2'])
    // Who is new takes the places of who was new and is gone.
    await chancery.ingest([gone('p8'), gone('p0')], { waits: false })
    await chancery.ingest([nation('p9')], { waits: false })
    assert.deepEqual((await everyList())[0], ['p2', 'p4', 'p5', 'p6', 'p9'])
  }))

test('a nation with one changed field is listed by it at once', () =>
  withoutRounds(async () => {
    const scored = ['n1', 'n2'].map(id => nation(id, { national_score: 5 }))
    await chancery.ingest(scored, { waits: false })
    const changes: [more: object, query: string][] = [
      [{ national_score: 50 }, 'min_score=40'],
      [{ status: 'vacation' }, 'status=vacation'],
      [{ leader_name: 'Somebody else' }, 'search=somebody'],
      [{ nation_name: 'Elsewhere' }, 'search=elsewh'],
    ]
    for (const [more, query] of changes) {
      assert.deepEqual(await listed(query), [])
      await chancery.ingest([{ op: 'put', resource: 'nation', data: { id: 'n1', ...more } }], {
        waits: false,
      })
      assert.deepEqual(await listed(query), ['n1'])
    }
  }))

test('a known nation without a place, as after a restore, is given one by what changes', () =>
  withoutRounds(async query => {
    await query('delete from chancery_world.nation_place')
    assert.deepEqual(await listed('min_score=60'), [])
    await chancery.ingest([nation('n2', { national_score: 70 })], { waits: false })
    assert.deepEqual(await listed('min_score=60'), ['n2'])
  }))

test('new nations stand in the order of their ids and nothing survives a deletion, wherever the chunks of a batch end', () =>
  withoutRounds(async query => {
    const observed = async (prefix: string, secrets: number) => {
      const id = (name: string) => `${prefix}-${name}`
      const reborn = nation(id('reborn'), { player: id('player') })
      await chancery.ingest(
        [
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
        ],
        { waits: false },
      )
      await query(
        `insert into chancery_world.nation_yesterday (nation_id, rank) values ('${id('reborn')}', 7)
         on conflict (nation_id) do nothing`,
      )
      const code = await chancery.makeCode(id('reborn'))
      await chancery.ingest(
        [
          // What only the operators may read fills the first chunk.
          ...Array.from({ length: secrets }, (_, index) =>
            put('nation', { id: 'n2', moderation_notes: `${index}` }),
          ),
          nation(id('zeta')),
          { op: 'delete', resource: 'nation', id: id('reborn') },
          reborn,
          nation(id('alpha')),
          { op: 'delete', resource: 'alliance', id: id('again') },
          alliance(id('again')),
        ],
        { waits: false },
      )
      const found = await chancery.read<{ data: { id: string; rank: unknown; wars: object }[] }>(
        `/nations?min_score=0&limit=100`,
      )
      const { rows } = (await query(`
        select p.*, (select y.rank from chancery_world.nation_yesterday y where y.nation_id = p.nation_id) as rank_of_yesterday,
          (select count(*)::int from chancery_secret.alliance_application a where a.nation_id = p.nation_id) as applications,
          (select s.treasury from chancery_secret.alliance_private s where s.alliance_id = '${id('again')}') as treasury
        from chancery_secret.nation_private p where p.nation_id = '${id('reborn')}'`)) as { rows: object[] }
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
