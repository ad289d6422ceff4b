import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { limits } from '@chancery/contract'
import pg from 'pg'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { pluck } from '../support/pluck.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'
import { alliance, commit, factsOn, lines, member, nation } from './facts.ts'

const chancery = closeAfter(await startTestServer())

interface Kept {
  id: string
  feed: string | null
  tries: number
  facts: number
  has_content: boolean
  refusals: { line: number; path: string; reason: string }[]
  overtaken_by: string | null
  content?: string | null
}

const one = async (request: Promise<Response>) => {
  const response = await request
  return { status: response.status, body: (await response.json()) as never }
}
const list = async (query = '') =>
  ((await one(chancery.operate('GET', `/refused${query}`))).body as { data: Kept[] }).data
const kept = async (id: string): Promise<Kept | undefined> => {
  const { status, body } = await one(chancery.operate('GET', `/refused/${id}`))
  return status === 200 ? body : undefined
}
const retry = (id: string, body?: object) => one(chancery.operate('POST', `/refused/${id}/retry`, body))
const { send: apply } = factsOn(chancery)

test('a rejected batch is stored as it was sent; later ones are applied', async () => {
  const facts = [nation('k1'), nation('k2', { land_area: -1 })]
  const [poison, next] = await chancery.send(
    lines(...facts, commit('poison', { announce: false }), nation('k3'), commit('next')),
  )
  assert.deepEqual([poison?.status, poison?.is_kept, next?.status], ['refused', true, 'applied'])
  const found = await kept('poison')
  assert.equal(found?.content, lines(...facts))
  assert.equal(found.facts, 2)
  assert.deepEqual(found.refusals, poison?.refused)
  assert.ok((await list()).some(({ id }) => id === 'poison'))
})

test('the lines of a dead letter are its own, those of the result the stream’s', async () => {
  const outcomes = await chancery.send(
    `${lines(nation('li1'), commit('lines-good'))}\n${lines(nation('li2'), nation('li3', { land_area: -1 }), commit('lines-bad'))}`,
  )
  assert.equal(outcomes[1]?.refused[0]?.line, 5)
  const found = await kept('lines-bad')
  assert.equal(found?.refusals[0]?.line, 2)
  assert.match(found.content?.split('\n')[1] ?? '', /li3/)
})

test('a batch with a missing reference is applied by a later retry, and leaves the list', async () => {
  assert.equal((await apply('early', member('r1', 'ra')))?.status, 'refused')
  assert.equal((await retry('early')).status, 422, 'the reason still holds')
  assert.equal((await kept('early'))?.tries, 2)
  await apply('cure', nation('r1'), alliance('ra'))
  const { status, body } = await retry('early')
  assert.deepEqual([status, (body as { status: string }).status], [200, 'applied'])
  assert.equal(await kept('early'), undefined)
  assert.equal((await retry('early')).status, 404)
})

test('a dead letter that the game sends again is applied, and leaves the list', async () => {
  await apply('fixed', nation('m1', { land_area: -1 }))
  assert.ok(await kept('fixed'))
  assert.equal((await apply('fixed', nation('m1', { national_score: 1 })))?.status, 'applied')
  assert.equal(await kept('fixed'), undefined)
})

test('invalid facts under the id of an applied batch are rejected, and not stored: nothing can be applied under it', async () => {
  await apply('taken', nation('tk1'))
  const again = await apply('taken', nation('tk1', { land_area: -1 }))
  assert.deepEqual([again?.status, again?.is_kept], ['refused', false])
  assert.equal(await kept('taken'), undefined)
})

test('a superseded dead letter is retried only with force', async () => {
  await apply('o-world', nation('o1', { motto: 'first' }))
  await apply('o-old', nation('o1', { motto: 'old' }), member('o1', 'o-none'))
  assert.equal((await kept('o-old'))?.overtaken_by, null)
  await apply('o-apart', nation('o2'))
  assert.equal((await kept('o-old'))?.overtaken_by, null, 'other rows do not matter')
  await apply('o-new', nation('o1', { motto: 'new' }))
  assert.equal((await kept('o-old'))?.overtaken_by, 'o-new')
  await apply('o-alliance', alliance('o-none'))
  const { status, body } = await retry('o-old')
  assert.equal(status, 409)
  assert.match(JSON.stringify(body), /anyway/)
  const motto = async () => (await chancery.read<{ data: { motto: string } }>('/nations/o1')).data.motto
  assert.equal(await motto(), 'new')
  assert.equal((await retry('o-old', { anyway: true })).status, 200)
  assert.equal(await motto(), 'old')
})

test('a snapshot and a reset concern all entities of their resources, also later ones', async () => {
  await apply('whole-world', nation('wh1'))
  const wholes: Fact[] = [
    { op: 'snapshot', resource: 'nation', allow_deletes: true },
    { op: 'reset', ended: { id: 'wh-era', name: 'One' } },
  ]
  for (const [index, whole] of wholes.entries()) {
    const id = `whole-${index}`
    await apply(id, whole, member('wh1', 'wh-none'))
    assert.equal((await kept(id))?.overtaken_by, null)
    await apply(`whole-other-${index}`, alliance(`wh-a${index}`))
    assert.equal((await kept(id))?.overtaken_by, index === 0 ? null : 'whole-other-1')
    await apply(`whole-later-${index}`, nation(`wh-later${index}`))
    assert.equal((await retry(id)).status, 409)
    assert.equal((await chancery.get(`/nations/wh-later${index}`)).status, 200)
  }
})

test('a rejected batch that is sent again is announced as it was sent last', async () => {
  for (const announce of [true, false])
    await chancery.send(lines(member('an1', 'an-none'), commit('an', { announce })))
  const response = await one(chancery.operate('GET', '/refused/an'))
  assert.equal((response.body as { is_announced: boolean }).is_announced, false)
})

test('the reason of a line that is not JSON quotes nothing of it', async () => {
  const wrong = [
    '{"op":"put","resource":"nation","data":{"id":"q","moderation_notes": canary of a note}}',
    'canary of a note',
    '"canary of a note',
    '["canary of a note" "canary"]',
  ]
  for (const line of wrong) {
    const [outcome] = await chancery.send(`${line}\n${lines(commit('quoted'))}`)
    assert.match(outcome?.refused[0]?.reason ?? '', /^not JSON: ./)
    assert.doesNotMatch(JSON.stringify(outcome), /canary|note/)
  }
})

test('a batch that is too large to keep is listed without its facts', async () => {
  const large = Array.from({ length: 5_000 }, (_, index) => nation(`l${index}`, { motto: 'x'.repeat(900) }))
  assert.ok(lines(...large).length > limits.deadLetterBytesMax)
  const outcome = await apply('large', ...large, nation('l-bad', { land_area: -1 }))
  assert.deepEqual([outcome?.status, outcome?.is_kept], ['refused', false])
  const found = await kept('large')
  assert.deepEqual([found?.has_content, found?.content, found?.facts], [false, null, 5_001])
  const { status, body } = await retry('large')
  assert.equal(status, 409)
  assert.match(JSON.stringify(body), /Send it again/)
})

test('text that the database cannot store is rejected without a dead letter', async () => {
  const text = `{"op":"put","resource":"nation","data":{"id":"z1","nation_name":"a\0b"}}\n${lines(commit('nul'))}`
  const [outcome] = await chancery.send(text)
  assert.deepEqual([outcome?.status, outcome?.is_kept], ['refused', false])
  assert.equal(await kept('nul'), undefined)
  const [bytes] = await chancery.send(
    Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(lines(commit('bytes')))]),
  )
  assert.deepEqual([bytes?.status, bytes?.is_kept], ['refused', false])
  assert.equal((await kept('bytes'))?.has_content, false)
})

test('a sender can turn the dead letter off', async () => {
  const send = (body: string, type: string, headers = {}) =>
    fetch(`${chancery.operatorUrl}/facts?keep=false`, {
      method: 'POST',
      headers: { authorization: `Bearer ${chancery.operatorToken}`, 'content-type': type, ...headers },
      body,
    })
  await send(lines(nation('q1', { land_area: -1 }), commit('unkept')), 'application/x-ndjson')
  const json = JSON.stringify({ facts: [nation('q1', { land_area: -1 })] })
  const response = await send(json, 'application/json', { 'idempotency-key': 'unkept-too' })
  assert.equal(response.status, 422)
  assert.equal(await kept('unkept'), undefined)
  assert.equal(await kept('unkept-too'), undefined)
})

test('the list filters by feed, and dropped dead letters leave it', async () => {
  const feed = { name: 'pull', after: null }
  await chancery.send(lines(nation('d1', { land_area: -1 }), commit('in-feed', { feed })))
  assert.deepEqual(
    (await list('?feed=pull')).map(({ id }) => id),
    ['in-feed'],
  )
  assert.deepEqual(
    (await list('?limit=1')).map(({ id }) => id),
    ['in-feed'],
    'the latest first',
  )
  assert.equal((await one(chancery.operate('DELETE', '/refused/in-feed'))).status, 200)
  assert.equal((await one(chancery.operate('DELETE', '/refused/in-feed'))).status, 404)
  assert.deepEqual(await list('?feed=pull'), [])
})

test('a rejected batch in one request is stored and can be retried', async () => {
  const body = { facts: [member('s1', 'sa')], announce: false }
  const response = await chancery.operate('POST', '/facts', body, { 'idempotency-key': 'single' })
  assert.equal(response.status, 422)
  assert.equal(((await response.json()) as { is_kept: boolean }).is_kept, true)
  await apply('single-cure', nation('s1'), alliance('sa'))
  assert.equal((await retry('single')).status, 200)
  const db = new pg.Client({ connectionString: chancery.databaseUrl })
  await db.connect()
  try {
    const { rows } = await db.query(
      'select is_announced from chancery_world.event_log_span order by last_seq desc limit 1',
    )
    assert.deepEqual(rows, [{ is_announced: false }], 'unannounced, as it was sent')
  } finally {
    await db.end()
  }
})

interface Dropped {
  id: string
  feed: string | null
  facts: number
  bytes: number
  is_listed: boolean
}

describe('the dead-letter store is bounded', () => {
  beforeEach(async () => {
    await query(
      chancery.databaseUrl,
      'truncate chancery_secret.dead_letter, chancery_secret.dropped_dead_letter cascade',
    )
    await query(chancery.databaseUrl, `delete from chancery_secret.feed where name like 'some-feed-%'`)
  })

  /** Inserts dead letters that were rejected a second apart, the first one first. */
  const fill = (
    count: number,
    {
      name,
      bytes,
      feed = 'null',
      content = `'{}'`,
      overtaken = 'null',
    }: Record<'name' | 'bytes', string> & Partial<Record<'feed' | 'content' | 'overtaken', string>>,
  ) =>
    query(
      chancery.databaseUrl,
      `insert into chancery_secret.dead_letter
         (id, feed, first_rejected_at, last_rejected_at, is_announced, facts, bytes, content, rejections, superseded_by)
       select '${name}-' || i, ${feed}, now(), now() - make_interval(secs => ${count} - i), true, 1, ${bytes}, ${content}, '[]', ${overtaken}
       from generate_series(1, ${count}) i`,
    )
  /** Sends some kilobytes with one invalid fact. */
  const sendInvalid = async (batch: string, more: Fact = {}) => {
    const facts = Array.from({ length: 40 }, (_, index) => nation(`full-${index}`))
    const wrong = nation('full', { land_area: -1 })
    const [outcome] = await chancery.send(lines(...facts, wrong, commit(batch, more)))
    assert.equal(outcome?.status, 'refused')
    return outcome
  }
  const listing = async () =>
    (await one(chancery.operate('GET', '/refused?limit=1000'))).body as { data: Kept[]; dropped: Dropped[] }
  const droppedCount = async () =>
    Number(
      /^chancery_dead_letters_dropped_total (\d+)$/m.exec(
        await (await chancery.operate('GET', '/metrics')).text(),
      )?.[1],
    )
  /** Four of them leave room for a record, but not for its facts. */
  const quarter = String(limits.deadLetterBytesPerFeed / 4 - 250)

  test('without room the facts of a new dead letter are not stored, its sender sees it, and stored ones stay', async () => {
    const before = await droppedCount()
    await fill(4, { name: 'live', bytes: quarter })
    const outcome = await sendInvalid('too-much')
    assert.equal(outcome.is_kept, false)
    const { data, dropped } = await listing()
    assert.deepEqual(pluck(data, 'id', 'has_content'), [
      ['too-much', false],
      ...[4, 3, 2, 1].map(number => [`live-${number}`, true]),
    ])
    assert.deepEqual(pluck(dropped, 'id', 'is_listed'), [['too-much', true]])
    assert.equal(await droppedCount(), before + 1)
  })

  test('superseded dead letters are dropped for room, the oldest first, and are listed', async () => {
    await fill(2, { name: 'live', bytes: quarter })
    await fill(2, { name: 'stale', bytes: quarter, overtaken: `'later'` })
    assert.equal((await sendInvalid('fresh')).is_kept, true)
    const { data, dropped } = await listing()
    assert.deepEqual(data.map(({ id }) => id).toSorted(), ['fresh', 'live-1', 'live-2', 'stale-2'])
    assert.deepEqual(pluck(dropped, 'id', 'facts', 'bytes', 'is_listed'), [
      ['stale-1', 1, Number(quarter), false],
    ])
  })

  test('unknown feed names share one bound, and an existing feed has its own', async () => {
    await fill(4, { name: 'live', bytes: quarter, feed: `'made-up-' || i` })
    assert.equal((await sendInvalid('made-up', { feed: { name: 'made-up-5', after: null } })).is_kept, false)
    const [known] = await chancery.send(
      lines(commit('some-feed-begins', { feed: { name: 'some-feed-1', after: null } })),
    )
    assert.equal(known?.status, 'applied')
    const place = { feed: { name: 'some-feed-1', after: 'some-feed-begins' } }
    assert.equal((await sendInvalid('of-a-feed', place)).is_kept, true)
  })

  test('there are never more batches than the limit, of a feed and in all', async () => {
    await fill(limits.deadLettersPerFeed, { name: 'record', bytes: '10', content: 'null' })
    assert.equal((await sendInvalid('one-more')).is_kept, true)
    const { data, dropped } = await listing()
    assert.ok(!data.some(({ id }) => id === 'record-1'))
    assert.deepEqual(pluck(dropped, 'id'), ['record-1'])
    const count = async () =>
      Number(
        (
          await query<{ count: string }>(
            chancery.databaseUrl,
            'select count(*) from chancery_secret.dead_letter',
          )
        )[0]?.count,
      )
    assert.equal(await count(), limits.deadLettersPerFeed)

    await query(
      chancery.databaseUrl,
      `insert into chancery_secret.feed select 'some-feed-' || i, 'x', now() from generate_series(1, 20) i`,
    )
    const rest = limits.deadLettersTotal - limits.deadLettersPerFeed
    await fill(rest, { name: 'other', bytes: '10', feed: `'some-feed-' || (i % 20 + 1)` })
    assert.equal((await sendInvalid('in-all', { feed: { name: 'some-feed-1', after: 'x' } })).is_kept, true)
    assert.equal(await count(), limits.deadLettersTotal)
  })

  test('a dead letter whose record has no room is not stored, and is listed as dropped', async () => {
    await fill(limits.deadLettersPerFeed, { name: 'live', bytes: '10' })
    assert.equal((await sendInvalid('no-place')).is_kept, false)
    assert.equal(await kept('no-place'), undefined)
    assert.deepEqual(pluck((await listing()).dropped, 'id', 'is_listed'), [['no-place', false]])
  })

  test('the list of dropped dead letters is bounded too', async () => {
    await fill(4, { name: 'live', bytes: quarter })
    await query(
      chancery.databaseUrl,
      `insert into chancery_secret.dropped_dead_letter (id, facts, bytes, is_listed, dropped_at)
       select 'old-' || i, 1, 1, false, now() from generate_series(1, ${limits.droppedDeadLettersListed}) i`,
    )
    await sendInvalid('newest')
    const { dropped } = await listing()
    assert.deepEqual([dropped.length, dropped[0]?.id], [limits.droppedDeadLettersListed, 'newest'])
    const rows = await query<{ count: string }>(
      chancery.databaseUrl,
      'select count(*) from chancery_secret.dropped_dead_letter',
    )
    assert.equal(Number(rows[0]?.count), limits.droppedDeadLettersListed)
  })

  test('an invented name uses no more of a record than the contract allows', async () => {
    const long = 'x'.repeat(200_000)
    await chancery.send(lines(nation('long', { [long]: 1 }), commit('long-name')))
    const found = await kept('long-name')
    assert.ok(found?.refusals.every(({ path, reason }) => path.length <= 1_000 && reason.length <= 2_000))
  })

  test('one feed more than the limit is rejected, and existing feeds continue', async () => {
    await query(
      chancery.databaseUrl,
      `insert into chancery_secret.feed
       select 'some-feed-' || i, 'x', now() from generate_series(1, ${limits.feeds} - (select count(*) from chancery_secret.feed)) i`,
    )
    const send = async (name: string, after: string | null) =>
      (await chancery.send(lines(commit(`${name}-next`, { feed: { name, after } }))))[0]
    const rejected = await send('some-feed-beyond', null)
    assert.deepEqual([rejected?.status, rejected?.refused[0]?.path], ['refused', '/feed/name'])
    assert.equal((await send('some-feed-7', 'x'))?.status, 'applied')
  })
})
