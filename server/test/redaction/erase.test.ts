import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { demoProfile, type Profile } from '@chancery/contract'
import {
  assertRejected,
  endpointDraft,
  handover,
  keyDraft,
  openBrowser,
  type SignedIn,
  signIn,
  startAccounts,
} from '../account/browser.ts'
import type { Event } from '../events/log-model.ts'
import { openStream, type StreamReader } from '../events/stream-reader.ts'
import { alliance, event, member, nation, put, war } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { dump, rowCounts, withConnection } from '../support/database-url.ts'
import type { Fact } from '../support/test-server.ts'
import { until, untilWithin } from '../support/until.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { addActiveEndpoint, deliveriesOf } from '../webhooks/owner.ts'

const player = 'erased-canary-player'
const words = [
  'Ncanary First',
  'Ncanary Now',
  'Lcanary',
  'Mcanary',
  'fcanary',
  'Pcanary',
  'Acanary',
  'Ocanary',
  'Icanary',
  'Tcanary',
  'Ccanary',
  'Scanary',
  'Bcanary',
]
const attribute = { type: 'string', description: 'A text of the player.', example: 'La la' } as const
const profile: Profile = {
  ...demoProfile,
  attributes: {
    ...demoProfile.attributes,
    nation: [
      { ...attribute, key: 'anthem', class: 'public' },
      { ...attribute, key: 'songs', type: 'strings', class: 'public', example: ['La la'] },
      { ...attribute, key: 'cipher', class: 'player_private', scope: 'military.read' },
    ],
  },
}
const foundIn = (text: string) => words.filter(word => text.includes(word))

const folder = await mkdtemp(join(tmpdir(), 'chancery-erase-'))
const gameFile = join(folder, 'game.json')
await writeFile(gameFile, JSON.stringify(profile))
const chancery = closeAfter(
  await startAccounts([], {
    CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
    CHANCERY_GAME_FILE: gameFile,
  }),
)
await rm(folder, { recursive: true })
const receiver = closeAfter(await startWebhookReceiver())

const ingest = (facts: Fact[], batch?: string) =>
  chancery.ingest(facts, { waits: false, ...(batch === undefined ? {} : { batch }) })

const erase = (batch: string, more: object = {}) => ingest([{ op: 'erase', player, ...more }], batch)

describe('after an erasure', () => {
  let key: string
  let keyId: string
  let endpointId: string
  let code: string
  let browser: SignedIn
  let stream: StreamReader
  let others: { key: string }
  let exported: string
  let countsBefore: Map<string, number>

  before(async () => {
    await ingest([
      alliance('a1'),
      nation('old', { nation_name: 'Ncanary First' }),
      nation('mine', {
        nation_name: 'Ncanary First',
        leader_name: 'Lcanary',
        motto: 'Mcanary',
        flag_url: 'https://game.example/fcanary.png',
        player,
        economy: { credits: 4711 },
        production: { queue: [{ item: 'Pcanary', quantity: 1, completes_at: null }] },
        assignments: [
          { alliance_id: 'a1', kind: 'defend', target_nation_id: null, note: 'Acanary', due_at: null },
        ],
        moderation_notes: 'Ocanary',
        attributes: { anthem: 'Tcanary', songs: ['Scanary', 'Bcanary'], cipher: 'Ccanary' },
      }),
      nation('other', { player: 'other-player', economy: { credits: 11 } }),
      member('mine', 'a1', { can_view_treasury: true }),
      member('other', 'a1'),
      event({
        type: 'game.disaster',
        occurred_at: '2026-05-03T12:00:00Z',
        nation_ids: ['mine'],
        summary: 'The players of Tcanary were silenced.',
        data: { disaster: 'all who sang TCANARY or Scanary' },
      }),
      war('w1', 'mine', 'other'),
      war('w2', 'other', 'old'),
    ])
    await ingest([nation('mine', { nation_name: 'Ncanary Now' })])
    await ingest([put('alliance_application', { nation_id: 'mine', alliance_id: 'a1' })])
    ;({ key, id: keyId } = await chancery.makeKey({ player_id: player }, ['nation.read', 'economy.read'], {
      name: 'Icanary',
      limit: 100,
    }))
    others = await chancery.makeKey({ player_id: 'other-player' }, ['nation.read', 'economy.read'])
    code = await chancery.makeCode('mine', 'Icanary')
    browser = await signIn(chancery, { player_id: player })
    await browser.requestOk('POST', `/keys/${keyId}/limit-request`, {
      calls_per_minute: 999,
      sentence: 'Icanary needs more calls.',
    })
    endpointId = (
      await addActiveEndpoint(chancery, receiver.url('/mine'), { player_id: player, description: 'Icanary' })
    ).id
    await ingest([nation('renamed', {})])
    await until(
      async () => (await deliveriesOf(chancery, endpointId)).some(({ state }) => state === 'delivered'),
      'an event is delivered',
    )
    await chancery.operate('POST', `/players/${player}/suspend`, { note: 'Icanary' })
    await chancery.operate('POST', `/players/${player}/resume`)
    await chancery.operate('POST', '/players/suspended-too/suspend', {})
    assert.equal((await chancery.get('/me/nation', { key })).status, 200)
    stream = await openStream(`${chancery.url}/api/v1/events/stream`, { key })
    await stream.upToDate()
    await until(
      async () => (await dump(chancery.databaseUrl)).includes(`chancery_access.key_request`),
      'the request log is written',
    )
    assert.deepEqual(foundIn(await dump(chancery.databaseUrl)), words)
    const response = await chancery.operate('POST', `/players/${player}/export`)
    exported = await response.text()
    countsBefore = await rowCounts(chancery.databaseUrl)
    await erase('erase', { nations: ['old'] })
  })

  test('no table contains a text of the player', async () => {
    assert.deepEqual(foundIn(await dump(chancery.databaseUrl)), [])
  })

  test('only the ledger and the audit log still contain the id of the player', async () => {
    const rows = (
      await dump(chancery.databaseUrl, ['chancery_secret.redaction', 'chancery_access.audit_log'])
    ).split('\n')
    for (const id of [player, keyId, endpointId])
      assert.deepEqual(
        rows.filter(row => row.includes(id)),
        [],
        id,
      )
  })

  test('the export before it had every row that the erasure has deleted, and no secret', async () => {
    const { tables, truncated } = JSON.parse(exported) as {
      tables: Record<string, object[]>
      truncated: string[]
    }
    assert.deepEqual(truncated, [])
    assert.deepEqual(foundIn(exported), words)
    const counts = await rowCounts(chancery.databaseUrl)
    let deleted = 0
    for (const [table, count] of countsBefore) {
      const lost = count - (counts.get(table) ?? 0)
      if (lost <= 0) continue
      deleted += lost
      assert.ok(
        (tables[table]?.length ?? 0) >= lost,
        `${table}: ${lost} rows, ${tables[table]?.length} exported`,
      )
    }
    assert.ok(deleted >= 8, String(deleted))
    assert.doesNotMatch(exported, /other-player|whsec_|"hash"|secret":/)
    assert.ok(!exported.includes(key))
  })

  test('the key is rejected by the next request, and its stream ends', async () => {
    await untilWithin(
      1_000,
      async () => (await chancery.get('/me/nation', { key })).status === 401,
      'the key is rejected',
    )
    const { isWhole } = await stream.ended
    assert.equal(isWhole, true)
  })

  test('the session ends, the code is deleted, and nothing more is delivered', async () => {
    assert.equal((await browser.request('GET', '/session')).status, 401)
    const response = await chancery.operate('GET', `/webhooks/${endpointId}`)
    assert.equal(response.status, 404)
    const before = receiver.eventsAt('/mine').length
    await ingest([nation('renamed-2', {})])
    assert.equal(receiver.eventsAt('/mine').length, before)
    assert.ok(code)
    assert.equal((await rowCounts(chancery.databaseUrl)).get('chancery_access.verification_code'), undefined)
  })

  test('the nation remains without the texts of its player, and without secrets', async () => {
    const { data } = await chancery.read<{ data: Record<string, unknown> }>('/nations/mine')
    const { nation_name, leader_name, motto, flag_url } = data
    assert.deepEqual([nation_name, leader_name, motto, flag_url], ['Erased nation', 'Erased', null, null])
    assert.doesNotMatch(await dump(chancery.databaseUrl), /nation_private.*4711/)
  })

  test('wars and events of all erased nations have the replacement name', async () => {
    const { data } = await chancery.read<{ data: Event[] }>('/events?limit=100&nation_id=old,mine')
    assert.doesNotMatch(JSON.stringify(data), /canary/)
    assert.match(JSON.stringify(data), /Erased nation declared war on Nation other/)
    const redacted = data.filter(({ type }) => type === 'record.redacted')
    assert.deepEqual(redacted.map(({ data: { id } }) => id).toSorted(), ['mine', 'old'])
  })

  test('other players keep all their data', async () => {
    const { data } = await chancery.read<{ data: { economy: object } }>('/me/nation?include=economy', {
      key: others.key,
    })
    assert.deepEqual(data.economy, { credits: 11, resources: null })
    const now = await rowCounts(chancery.databaseUrl)
    assert.equal(now.get('chancery_access.api_key'), 1)
    assert.equal(now.get('chancery_access.suspension'), 1)
  })
})

test('an unknown player can be erased, also twice, and the ledger has both', async () => {
  const outcome = await ingest([{ op: 'erase', player: 'unknown', nations: ['no-nation'] }], 'unknown-1')
  assert.equal(outcome.events, 0)
  await ingest([{ op: 'erase', player: 'unknown', nations: ['no-nation'] }], 'unknown-2')
  const rows = (await dump(chancery.databaseUrl)).split('\n')
  assert.equal(rows.filter(row => /^chancery_secret.redaction .*unknown/.test(row)).length, 2)
})

test('a nation with a new leader keeps the private data of that leader', async () => {
  await ingest([nation('passed', { nation_name: 'Wcanary', player: 'successor', economy: { credits: 77 } })])
  const { key } = await chancery.makeKey({ player_id: 'successor' }, ['nation.read', 'economy.read'])
  await ingest([{ op: 'erase', player: 'predecessor', nations: ['passed'], name: 'Renamed' }])
  const { data } = await chancery.read<{ data: Record<string, unknown> }>('/me/nation?include=economy', {
    key,
  })
  assert.deepEqual([data.nation_name, data.economy], ['Renamed', { credits: 77, resources: null }])
})

test('no event changes with a private attribute', async () => {
  const events = () => chancery.read<{ data: Event[] }>('/events?type=game.disaster&nation_id=quiet')
  await ingest([
    nation('quiet', { player: 'quiet-player', attributes: { cipher: 'Pale fox' } }),
    event({
      type: 'game.disaster',
      occurred_at: '2026-05-03T12:00:00Z',
      nation_ids: ['quiet'],
      summary: 'A pale fox crossed the road.',
      data: { disaster: 'pale fox' },
    }),
  ])
  const before = await events()
  assert.equal(before.data.length, 1)
  await ingest([{ op: 'redact', resource: 'nation', id: 'quiet', data: { attributes: { cipher: null } } }])
  assert.deepEqual(await events(), before)
  await ingest([nation('quiet', { attributes: { cipher: 'Pale fox' } })])
  await ingest([{ op: 'erase', player: 'quiet-player' }])
  assert.deepEqual(await events(), before)
})

test('a public attribute is removed from written texts as a word, and words that contain it stay', async () => {
  await ingest([
    nation('crowned', { player: 'crowned-player', attributes: { anthem: 'King' } }),
    event({
      type: 'game.disaster',
      occurred_at: '2026-05-03T12:00:00Z',
      nation_ids: ['crowned'],
      summary: 'The king of the Kingdom of Ash fell.',
      data: { disaster: 'Kingdom without a king' },
    }),
  ])
  await ingest([{ op: 'erase', player: 'crowned-player' }])
  const { data } = await chancery.read<{ data: Event[] }>('/events?type=game.disaster&nation_id=crowned')
  assert.deepEqual(
    data.map(({ summary, data: { disaster } }) => [summary, disaster]),
    [['The … of the Kingdom of Ash fell.', 'Kingdom without a …']],
  )
})

test('the ledger lists the erased nations', async () => {
  await ingest([nation('found', { player: 'found-player' })])
  await ingest([{ op: 'erase', player: 'found-player' }])
  const rows = (await dump(chancery.databaseUrl)).split('\n')
  assert.ok(rows.some(row => /^chancery_secret.redaction .*""nations"": \[""found""\]/.test(row)))
})

describe('an erasure concurrent with another request', () => {
  /** Holds the lock of a player until a request waits for it, then runs the rest of the erasure. */
  async function held<T>(playerId: string, begin: () => Promise<T>, finish: string): Promise<T> {
    return withConnection(chancery.databaseUrl, async client => {
      await client.query('begin')
      await client.query(`select pg_advisory_xact_lock(hashtext('chancery player'), hashtext($1))`, [
        playerId,
      ])
      const begun = begin()
      await until(async () => {
        const { rows } = await client.query(
          `select from pg_locks where locktype = 'advisory' and not granted and classid = hashtext('chancery player')::oid`,
        )
        return rows.length === 1
      }, 'it waits for the lock')
      await client.query(finish)
      await client.query('commit')
      return begun
    })
  }
  /** The rows of a player outside the world, without the audit log. */
  const kept = async (playerId: string) =>
    (await dump(chancery.databaseUrl, ['chancery_access.audit_log']))
      .split('\n')
      .filter(row => /^chancery_(access|outbound)/.test(row) && row.includes(playerId))
  const noSession = (playerId: string) =>
    `delete from chancery_access.session where player_id = '${playerId}';
     delete from chancery_access.handover where player_id = '${playerId}';
     delete from chancery_access.account_log where player_id = '${playerId}'`
  const noNation = (playerId: string) =>
    `update chancery_secret.nation_private set player = null where player = '${playerId}'`

  test('erases what is created while it starts', async () => {
    await held(
      'racing',
      () => ingest([{ op: 'erase', player: 'racing' }]),
      `insert into chancery_access.api_key (id, hash, player_id, name, scopes, created_at)
       values ('key_racing', '\\x00', 'racing', 'racing', '{}', now());
       insert into chancery_outbound.endpoint (id, player_id, url, description, status, created_at, secret, secret_created_at)
       values ('whe_racing', 'racing', 'https://racing.example', '', 'unconfirmed', now(), 'whsec_racing', now());
       insert into chancery_access.handover (hash, player_id, landing, created_at, expires_at)
       values ('\\x01', 'racing', 'verify', now(), now() + interval '1 minute')`,
    )
    assert.deepEqual(await kept('racing'), [])
  })

  const bySession: Record<string, [method: string, path: string, body?: object]> = {
    'a key': ['POST', '/keys', keyDraft()],
    'a code': ['POST', '/codes', {}],
    'an endpoint': ['POST', '/webhooks', endpointDraft('https://receiver.example/')],
    'a line of the log': ['POST', '/session/end-all'],
  }
  for (const [what, [method, path, body]] of Object.entries(bySession))
    test(`leaves nothing of ${what} that its player creates while it ends`, async () => {
      const player = `raced${path.replaceAll('/', '-')}`
      await ingest([nation(player, { player })])
      const own = await signIn(chancery, { player_id: player })
      const response = await held(
        player,
        () => own.request(method, path, { body }),
        `${noSession(player)};${noNation(player)}`,
      )
      assertRejected(response, 401, 'session_required')
      assert.deepEqual(await kept(player), [])
    })

  test('invalidates sign-in links that were created before it', async () => {
    const token = await handover(chancery, { player_id: 'linked' })
    const begin = () => openBrowser(chancery).request('POST', '/session', { body: { token } })
    assertRejected(await held('linked', begin, noSession('linked')), 410, 'handover_invalid')
    assert.deepEqual(await kept('linked'), [])
  })

  const byOperator: Record<string, [path: string, body: object]> = {
    'a key': ['/keys', { name: 'k' }],
    'an endpoint': ['/webhooks', { url: 'https://receiver.example/' }],
    'a link': ['/handovers', {}],
  }
  for (const [what, [path, body]] of Object.entries(byOperator))
    test(`leaves nothing of ${what} that the operator creates by nation while it ends`, async () => {
      const player = `operated${path.replaceAll('/', '-')}`
      await ingest([nation(player, { player })])
      const response = await held(
        player,
        () => chancery.operate('POST', path, { ...body, nation_id: player }),
        noNation(player),
      )
      assert.equal(response.status, 400)
      assert.deepEqual(await kept(player), [])
    })

  test('keeps its player out of a code that is created while it ends', async () => {
    await ingest([nation('coded', { player: 'coded-player' })])
    const response = await held(
      'coded-player',
      () => chancery.operate('POST', '/codes', { nation_id: 'coded' }),
      noNation('coded-player'),
    )
    assert.equal(response.status, 201)
    assert.deepEqual(await kept('coded-player'), [])
  })
})
