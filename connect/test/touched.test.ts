import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { until } from '../../server/test/support/until.ts'
import { checkViews } from '../src/pull/check-views.ts'
import { runPull } from '../src/pull/puller.ts'
import { defaultPacing } from '../src/retry-loop.ts'
import type { ServiceClient } from '../src/service-client.ts'
import { usePullFixture } from './fixture.ts'
import { type ManualPuller, touchedTriggers } from './game.ts'
import { clientOf, contract } from './service-client.ts'

const fixture = usePullFixture({ nations: 30 })
const { chancery, n, open, query, read, statusOf } = fixture

let manual: ManualPuller
beforeEach(async () => {
  await query(touchedTriggers(['nations', 'members']))
  manual = await open({ allowsDeletes: true })
})

const touched = async () => await query('select resource, id from chancery_out.touched order by number')
const viewsOf = (report: Awaited<ReturnType<ManualPuller['round']>>) =>
  Object.entries(report?.views ?? {})
    .map(([name, view]) => [name, view.new, view.changed, view.deleted])
    .filter(([, ...counts]) => counts.some(Boolean))

test('rows of touched keys are sent, deleted and left out without reading the others', async () => {
  await manual.round()
  assert.deepEqual(await touched(), [])
  // Without a trigger: only reading all rows shows it.
  await query('alter table nations disable trigger user')
  await query('update nations set motto = $2 where id = $1', [n(2), 'unseen'])
  await query('alter table nations enable trigger user')
  await query('update nations set motto = $2 where id = $1', [n(5), 'Homeward.'])
  await query('update nations set motto = $2 where id = $1', [n(5), 'Home.'])
  await query('delete from nations where id = $1', [n(9)])
  await query(`insert into nations (id, name) values ($1, 'New')`, [n(40)])
  assert.equal((await touched()).length, 4)
  const report = await manual.round()
  assert.deepEqual(viewsOf(report), [['nation', 1, 1, 1]])
  assert.deepEqual(await touched(), [])
  assert.equal((await read(`/nations/${n(5)}`)).motto, 'Home.')
  assert.equal((await read(`/nations/${n(40)}`)).nation_name, 'New')
  assert.equal(await statusOf(`/nations/${n(9)}`), 404)
  assert.equal((await read(`/nations/${n(2)}`)).motto, null)
  assert.equal(await manual.round(), undefined, 'nothing is touched')
})

test('what no trigger has written is found when all rows are read', async () => {
  manual = await open({ allowsDeletes: true, readAllMs: 0 })
  await manual.round()
  await query('alter table nations disable trigger user')
  await query('update nations set motto = $2 where id = $1', [n(2), 'seen'])
  await query('delete from nations where id = $1', [n(3)])
  assert.deepEqual(viewsOf(await manual.round()), [['nation', 0, 1, 1]])
  assert.equal((await read(`/nations/${n(2)}`)).motto, 'seen')
})

test('keys of no row, of no view and of another form are deleted, and an unknown resource is logged once', async () => {
  await manual.round()
  const before = manual.messages.length
  await query(`insert into chancery_out.touched (resource, id) values
    ('nation', 'no number'), ('nation', '99999999999999999999'), ('nation', '77777'), ('planet', '1'), ('planet', '2')`)
  assert.equal(await manual.round(), undefined)
  assert.deepEqual(await touched(), [])
  await query(`insert into chancery_out.touched (resource, id) values ('planet', '3')`)
  await manual.round()
  assert.deepEqual(manual.messages.slice(before), [
    'chancery_out.touched has keys of "planet", which is no view that is read: they are deleted',
  ])
})

test('a rejected row is quarantined, and it and the rows that wait for it are sent when it is touched again', async () => {
  await query(`insert into alliances values ($1, 'Pact')`, [n(900)])
  await manual.round()
  await query(`insert into nations (id, name) values ($1, '')`, [n(41)])
  await query('insert into members values ($1, $2)', [n(41), n(900)])
  const report = await manual.round()
  assert.equal(report?.views.nation?.aside, 1)
  assert.equal(report?.views.alliance_member?.aside, 1)
  assert.equal(await statusOf(`/nations/${n(41)}`), 404)
  // The member itself is not touched.
  await query(`update nations set name = 'Named' where id = $1`, [n(41)])
  const fixed = await manual.round()
  assert.deepEqual(viewsOf(fixed), [
    ['nation', 1, 0, 0],
    ['alliance_member', 1, 0, 0],
  ])
  assert.equal(
    (await read<{ alliance: { alliance_id: string } }>(`/nations/${n(41)}`)).alliance.alliance_id,
    n(900),
  )
  const { data } = (await (await chancery.operate('GET', '/refused')).json()) as { data: { feed: string }[] }
  assert.deepEqual(data, [])
})

test('touched deletions of more than a tenth are held back until all rows show them', async () => {
  manual = await open({ allowsDeletes: false })
  await manual.round()
  await query('delete from nations where id <= $1', [n(20)])
  await query('update nations set motto = $2 where id = $1', [n(25), 'still'])
  const report = await manual.round()
  assert.deepEqual(viewsOf(report), [['nation', 0, 1, 0]])
  assert.equal(report?.views.nation?.held_back, 20)
  assert.equal(await statusOf(`/nations/${n(3)}`), 200)
  assert.match(manual.messages.at(-1) ?? '', /lacks 20 of 30 rows/)
})

test('keys stay in the table until their rows are applied', async () => {
  await manual.round()
  const client = clientOf(chancery)
  const failing: ServiceClient = {
    ...client,
    // biome-ignore lint/correctness/useYield: it fails before its first outcome
    async *send() {
      throw new Error('the connection is lost')
    },
  }
  const broken = await open({ allowsDeletes: true }, failing)
  await query('update nations set motto = $2 where id = $1', [n(6), 'kept'])
  await assert.rejects(broken.round(), /the connection is lost/)
  assert.equal((await touched()).length, 1)
  await manual.round()
  assert.equal((await read(`/nations/${n(6)}`)).motto, 'kept')
  assert.deepEqual(await touched(), [])
})

test('the key * reads all rows of its view, and no other view', async () => {
  await manual.round()
  await query('alter table nations disable trigger user; alter table members disable trigger user')
  await query(`update nations set motto = 'Turned.'; insert into nations (id, name) values (${n(50)}, 'New');
    delete from nations where id = ${n(3)}; insert into alliances values (${n(901)}, 'Pact'); insert into members values (${n(1)}, ${n(901)})`)
  await query("insert into chancery_out.touched (resource, id) values ('nation', $1), ('nation', '*')", [
    n(2),
  ])
  assert.deepEqual(viewsOf(await manual.round()), [['nation', 1, 29, 1]])
  assert.deepEqual(await touched(), [])
  await query('alter table nations enable trigger user; alter table members enable trigger user')
})

test('touched rows of a view that waits are sent when it is restored, and the others meanwhile', async () => {
  await manual.round()
  await query('alter view chancery_out.nation rename column motto to color')
  await query('update nations set motto = $2 where id = $1', [n(6), 'x'])
  await manual.round()
  await query('insert into members values ($1, $2)', [n(1), n(900)])
  await query('insert into alliances values ($1, $2)', [n(900), 'Pact'])
  assert.deepEqual(viewsOf(await manual.round()), [
    ['alliance', 1, 0, 0],
    ['alliance_member', 1, 0, 0],
  ])
  assert.match(manual.messages.at(-1) ?? '', /has lost its column motto/)
  await query('alter view chancery_out.nation rename column color to motto')
  assert.deepEqual(viewsOf(await manual.round()), [['nation', 0, 1, 0]])
  assert.equal((await read(`/nations/${n(6)}`)).motto, 'x')
})

test('a view that was missing at the start is read soon after its keys were touched', async () => {
  const [view] = await query("select pg_get_viewdef('chancery_out.alliance_member'::regclass) as text")
  await query('drop view chancery_out.alliance_member')
  await query('insert into alliances values ($1, $2)', [n(902), 'Pact'])
  await query('insert into members values ($1, $2)', [n(4), n(902)])
  const starting = await open({ allowsDeletes: true, retryMs: 50 })
  await starting.round()
  assert.deepEqual(await touched(), [])
  assert.match(starting.messages.join(), /has keys of "alliance_member", which is no view that is read/)
  await query(`create view chancery_out.alliance_member as ${view?.text}`)
  await until(async () => {
    const report = await starting.round()
    return report?.views.alliance_member?.new === 1
  }, 'all rows are read')
})

test('a burst of many keys is read in parts, without a pause', async t => {
  const ending = new AbortController()
  const rounds: unknown[] = []
  const done = runPull({
    url: fixture.game.url,
    contract,
    client: clientOf(chancery),
    schema: 'chancery_out',
    feed: 'burst',
    allowsDeletes: true,
    isOnce: false,
    pacing: { ...defaultPacing, everyMs: 5_000 },
    signal: ending.signal,
    log: () => undefined,
    report: round => void rounds.push(round),
  })
  const end = async () => {
    ending.abort()
    await done
  }
  t.after(end)
  await until(() => rounds.length > 0, 'everything is sent')
  await query(
    `insert into chancery_out.touched (resource, id) select 'nation', ($1 + i % 30)::text from generate_series(1, 45000) i`,
    [fixture.start],
  )
  await query('update nations set motto = $2 where id = $1', [n(29), 'late'])
  await until(async () => (await read(`/nations/${n(29)}`)).motto === 'late', 'the last key is sent')
  await until(async () => (await touched()).length === 0, 'all keys are deleted')
  await end()
})

test('pull check names a missing privilege on the table', async () => {
  const role = `reader_${fixture.start}`
  await query(
    `create role ${role} login; grant usage on schema chancery_out to ${role}; grant select on all tables in schema chancery_out to ${role}`,
  )
  const url = new URL(fixture.game.url)
  url.username = role
  const check = () =>
    checkViews({
      url: url.href,
      contract,
      client: clientOf(chancery),
      schema: 'chancery_out',
      feed: 'pull',
      allowsDeletes: true,
    })
  assert.match(
    (await check()).warnings[0] ?? '',
    /^the keys in chancery_out\.touched cannot be deleted: grant select and delete on it/,
  )
  await query(`grant delete on chancery_out.touched to ${role}`)
  assert.deepEqual((await check()).warnings, [])
  await query(`drop owned by ${role}; drop role ${role}`)
})
