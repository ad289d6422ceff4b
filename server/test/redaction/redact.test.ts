import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { contractFor, copiesIn, demoProfile, redactableFields } from '@chancery/contract'
import type { Event } from '../events/log-model.ts'
import { openStream } from '../events/stream-reader.ts'
import { nation, put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { dump, rowCounts } from '../support/database-url.ts'
import type { Fact } from '../support/test-server.ts'
import { until, untilWithin } from '../support/until.ts'
import { respondAfter as afterMs, respondStatus, startWebhookReceiver } from '../support/webhook-receiver.ts'
import { addActiveEndpoint, deliveriesOf, requestOk } from '../webhooks/owner.ts'
import { allCanaries, batches, redactions } from './canary-facts.ts'
import { startLoggedServer } from './logged-server.ts'

const paths = [
  '/nations',
  '/nations/n1',
  '/nations?search=former',
  '/alliances',
  '/alliances/a1',
  '/alliances/a1/members',
  '/wars?limit=100',
  ...['w1', 'w2', 'w3', 'w5'].map(id => `/wars/${id}`),
  '/wars/w1/battles',
  '/global-conflicts',
  '/eras',
  '/news',
  '/rankings',
  '/rankings?type=alliances',
  '/events?limit=100&after=0',
  '/events?limit=100&nation_id=n1&after=0',
]

const canariesIn = (text: string) => {
  const folded = text.toLowerCase()
  return allCanaries.filter(canary => folded.includes(canary.toLowerCase()))
}

/** The values at a path of members; `[]` for the items of a list. */
const valuesAt = (data: unknown, path: string[]): unknown[] =>
  path.reduce<unknown[]>(
    (values, member) =>
      values.flatMap(value => {
        if (member === '[]') return value as unknown[]
        return [(value as Record<string, unknown> | null)?.[member]]
      }),
    [data],
  )

const contract = contractFor(demoProfile)
const server = closeAfter(await startLoggedServer())
const receiver = closeAfter(await startWebhookReceiver())

const apply = async (facts: Fact[], batch: string) => {
  const outcome = await server.ingest(batch, facts)
  assert.equal(outcome.status, 'applied', JSON.stringify(outcome))
  return outcome
}

const allEvents = async (): Promise<Event[]> => {
  const events: Event[] = []
  for (;;) {
    const body = await server.text(`/events?limit=100&after=${events.at(-1)?.seq ?? 0}`)
    const { data } = JSON.parse(body) as { data: Event[] }
    if (data.length === 0) return events
    events.push(...data)
  }
}

/** The stream from its beginning. */
async function streamed(): Promise<string> {
  const reader = await openStream(`${server.url}/api/v1/events/stream?after=0`)
  await reader.upToDate()
  const text = reader.text()
  reader.close()
  return text
}

describe('after a redaction', () => {
  let endpointId: string
  let events: Event[]
  let counts: Map<string, number>
  let last: number
  /** The public rows from before, by resource. */
  const world = new Map<string, unknown[]>()

  before(async () => {
    const { id } = await addActiveEndpoint(server, receiver.url('/echo'))
    endpointId = id
    // A receiver that echoes the message: the first kilobyte of a response is stored.
    receiver.respondWith('/echo', (response, { body }) =>
      respondStatus(200, JSON.parse(body).data.summary)(response, {} as never),
    )
    for (const [index, facts] of batches.entries()) await apply(facts, `canaries-${index}`)
    const rejected = await server.ingest('refused', [
      nation('n1', { nation_name: 'Quellmark One' }),
      put('alliance_member', { nation_id: 'unknown', alliance_id: 'a1' }),
    ])
    assert.equal(rejected.status, 'refused')
    events = await allEvents()
    const isBooked = async () => {
      const deliveries = await deliveriesOf(server, id)
      return (
        deliveries.length === 100 ||
        deliveries.filter(({ state }) => state === 'delivered').length > events.length
      )
    }
    await until(isBooked, 'all is delivered')
    const missing = (text: string) => {
      const found = canariesIn(text)
      return allCanaries.filter(canary => !found.includes(canary))
    }
    assert.deepEqual(missing(await dump(server.databaseUrl)), [], 'each canary is stored')
    assert.ok((await dump(server.databaseUrl)).match(/^chancery_outbound.attempt .*Quellmark/m), 'echoed')
    for (const [resource, path] of Object.entries({
      war: '/wars',
      era: '/eras',
      conflict: '/global-conflicts',
    }))
      world.set(resource, (JSON.parse(await server.text(path)) as { data: unknown[] }).data)
    // Fills the caches of the process.
    for (const path of paths) await server.text(path)
    assert.notDeepEqual(canariesIn(await streamed()), [])
    counts = await rowCounts(server.databaseUrl)
    last = Number((await apply(redactions, 'redactions')).last_seq)
  })

  test('each text of a fact that is a copy contained a text to be replaced', () => {
    const isHeld = (rows: unknown[], path: string[]) =>
      canariesIn(rows.map(row => JSON.stringify(valuesAt(row, path))).join('\n')).length > 0
    const places = Object.entries(contract.factSchemas).flatMap(([resource, schema]) =>
      copiesIn(schema).map(({ path }) => ({
        place: `${resource} ${path.join('.')}`,
        isHeld: isHeld(world.get(resource) ?? [], path),
      })),
    )
    assert.ok(places.length > 4, `${places.length} places`)
    assert.deepEqual(
      places.filter(({ isHeld }) => !isHeld),
      [],
    )
  })

  test('each text that can be redacted contained a text to be replaced', () => {
    const replaced = new Set(
      redactions.flatMap(({ resource, data }) =>
        Object.keys(data as object).map(field => `${resource}.${field}`),
      ),
    )
    const fields = Object.entries(redactableFields).flatMap(([resource, names]) =>
      names.map(field => `${resource}.${field}`),
    )
    assert.deepEqual(
      fields.filter(field => !replaced.has(field)),
      [],
    )
  })

  test('no table contains a text', async () => {
    assert.deepEqual(canariesIn(await dump(server.databaseUrl)), [])
  })

  test('no response contains a text, from the next request on', async () => {
    for (const path of paths) assert.deepEqual(canariesIn(await server.text(path)), [], path)
  })

  test('the stream from its beginning contains no text, within a second', async () => {
    await untilWithin(
      1_000,
      async () => canariesIn(await streamed()).length === 0,
      'the stream contains none',
    )
  })

  test('a replayed delivery contains no text', async () => {
    const before = receiver.eventsAt('/echo').length
    const span = { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' }
    await requestOk(server, 'POST', `/webhooks/${endpointId}/replay`, span)
    await until(() => receiver.eventsAt('/echo').length >= before + last, 'all is delivered again')
    const bodies = receiver.eventsAt('/echo').slice(before)
    assert.deepEqual(canariesIn(bodies.map(({ body }) => body).join('\n')), [])
  })

  test('no text is in the log of the process, its metrics or the ledger', async () => {
    assert.deepEqual(canariesIn(await server.written()), [])
    assert.deepEqual(canariesIn(await (await server.operate('GET', '/metrics')).text()), [])
  })

  test('numbers, kinds, times and subjects of the log stay, and so do texts of others', async () => {
    const now = await allEvents()
    assert.equal(now.length, events.length + redactions.length)
    const essence = ({ seq, type, occurred_at, nation_ids, alliance_ids, war_id, conflict_id }: Event) => ({
      ...{ seq, type, occurred_at, nation_ids, alliance_ids, war_id, conflict_id },
    })
    assert.deepEqual(now.slice(0, events.length).map(essence), events.map(essence))
    const untouched = events.filter(event => canariesIn(JSON.stringify(event)).length === 0)
    assert.ok(untouched.length > 3)
    for (const event of untouched) assert.deepEqual(now[event.seq - 1], event)
    for (const word of ['Bystander', 'Renamed Bystander', 'Third Bystander', 'Bystander Pact'])
      assert.ok(JSON.stringify(now).includes(word), word)
  })

  test('each redaction is an event that names fields and no texts', async () => {
    const now = (await allEvents()).slice(events.length)
    assert.deepEqual(
      now.map(({ type, data }) => [type, data.resource, data.id]),
      redactions.map(({ resource, id }) => ['record.redacted', resource, id]),
    )
    assert.deepEqual(now[0]?.data.fields, ['nation_name', 'leader_name', 'motto', 'flag_url', 'attributes'])
    assert.deepEqual(now[0]?.nation_ids, ['n1'])
  })

  test('sentences are regenerated with the names that others had then', async () => {
    const now = await allEvents()
    const sentences = (type: string) => now.filter(event => event.type === type).map(({ summary }) => summary)
    assert.deepEqual(sentences('strategic_weapon.launched'), [
      'Former nation launched a nuclear missile at Bystander.',
      'Third Bystander launched a nuclear missile at Former nation.',
    ])
    assert.deepEqual(sentences('strategic_weapon.intercepted'), [
      'Former nation intercepted a nuclear missile launched by Renamed Bystander.',
      'Renamed Bystander intercepted a nuclear missile launched by Former nation.',
    ])
    assert.deepEqual(sentences('game.disaster').slice(0, 2), [
      'A storm struck Former nation and Former nation 3.',
      'A flood struck Former alliance [FA].',
    ])
    assert.ok(
      sentences('conflict.joined').includes(
        'Former alliance joined Former conflict on the side of Former alliance and friends.',
      ),
    )
    assert.ok(sentences('nation.deleted').includes('Former nation 3 ceased to exist.'))
  })

  test('tables have as many rows as before, except those of the redaction itself', async () => {
    const now = await rowCounts(server.databaseUrl)
    const grown = new Set([
      'chancery_secret.batch',
      'chancery_secret.redaction',
      'chancery_world.event',
      'chancery_world.event_kind',
      'chancery_world.event_nation',
      'chancery_world.event_alliance',
      'chancery_world.event_log_span',
    ])
    for (const [table, count] of counts) {
      if (table.startsWith('chancery_outbound.') || table.startsWith('chancery_access.')) continue
      // Emptied by the next ranking round.
      if (table === 'chancery_secret.nation_ranking_log' || table === 'chancery_world.nation_ranking_dirty')
        continue
      const after = now.get(table)
      assert.ok(grown.has(table) ? Number(after) >= count : after === count, `${table}: ${count}, ${after}`)
    }
  })

  test('a dead letter about the entity loses its facts, with a reason', async () => {
    const found = (await (await server.operate('GET', '/refused/refused')).json()) as {
      content: string | null
      refusals: { reason: string }[]
    }
    assert.equal(found.content, null)
    assert.match(found.refusals[0]?.reason ?? '', /redacted .* send the batch again/)
  })

  test('the ledger has the redactions as they were sent', async () => {
    const ledger = (await server.written()).split('\n').filter(line => line.startsWith('{"op":"redact"'))
    assert.deepEqual(
      ledger.map(line => (JSON.parse(line) as { fact: object }).fact),
      redactions,
    )
  })
})

test('the response of a receiver after the redaction is not stored either', async () => {
  await apply([nation('late', { nation_name: 'Latecanary Nation' })], 'late')
  const { id } = await addActiveEndpoint(server, receiver.url('/late'), { types: ['nation.renamed'] })
  receiver.respondWith('/late', (response, { body }) =>
    afterMs(700, respondStatus(200, body))(response, {} as never),
  )
  await apply([nation('late', { nation_name: 'Latecanary Again' })], 'late-2')
  await until(() => receiver.eventsAt('/late').length === 1, 'it is under way')
  await apply([{ op: 'redact', resource: 'nation', id: 'late', data: { nation_name: 'Former' } }], 'late-3')
  await until(
    async () =>
      (await deliveriesOf(server, id)).some(
        ({ state, event_id }) => state === 'delivered' && event_id !== null,
      ),
    'it is booked',
  )
  assert.doesNotMatch(await dump(server.databaseUrl), /Latecanary/)
})

test('a redaction of an unknown entity is rejected with line and path, and nothing of its batch is applied', async () => {
  const redaction = { op: 'redact', resource: 'nation', id: 'n2', data: { motto: 'Never' } }
  const outcome = await server.ingest('unknown', [redaction, { ...redaction, id: 'unknown' }])
  assert.equal(outcome.status, 'refused')
  assert.deepEqual(outcome.refused, [{ line: 2, path: '/id', reason: 'unknown nation unknown' }])
  assert.doesNotMatch(await server.text('/nations/n2'), /Never/)
})

test('attributes are redacted member by member, and private ones emit no event', async () => {
  const attributes = { literacy_percent: 93.5, war_weariness: 12 }
  await apply([nation('kept', { attributes })], 'attributes')
  const redact = (data: object) => [{ op: 'redact', resource: 'nation', id: 'kept', data }]
  const quiet = await apply(redact({ attributes: { war_weariness: null } }), 'attributes-2')
  assert.equal(quiet.events, 0)
  assert.match(await server.text('/nations/kept'), /"literacy_percent":93.5/)
  assert.match(
    await dump(server.databaseUrl),
    /^chancery_secret.nation_private .*kept.*""war_weariness"": null/m,
  )
  const loud = await apply(redact({ attributes: { literacy_percent: null } }), 'attributes-3')
  assert.equal(loud.events, 1)
  assert.match(await server.text(`/events?after=${Number(loud.last_seq) - 1}`), /"fields":\["attributes"\]/)
  assert.match(await server.text('/nations/kept'), /"literacy_percent":null/)
})

test('a redacted name that is a common word clears no dead letter about others', async () => {
  const named = ['resource', 'nation', 'is_kept_word', '2026-', 'must be']
  for (const [index, name] of named.entries())
    await apply([nation(`word${index}`, { nation_name: name })], `word-name-${index}`)
  await server.ingest('word-apart', [
    nation('word-other', { leader_name: 5, founded_at: '2026-05-20T10:00:00Z' }),
  ])
  await server.ingest('word-about', [nation('word-more', { nation_name: 'is_kept_word', leader_name: 5 })])
  await server.ingest('word-mention', [
    nation('word-most', {
      nation_name: 'the is_kept_word',
      motto: 'is_kept_word, is_kept_word',
      leader_name: 5,
    }),
    put('news_item', { id: 'word', title: 'News', body: 'is_kept_word', published_at: 5 }),
  ])
  const kept = async (id: string) =>
    (await (await server.operate('GET', `/refused/${id}`)).json()) as { has_content: boolean }
  for (const index of named.keys())
    await apply(
      [{ op: 'redact', resource: 'nation', id: `word${index}`, data: { nation_name: 'Quiet' } }],
      `word-redact-${index}`,
    )
  assert.equal((await kept('word-apart')).has_content, true)
  assert.equal((await kept('word-mention')).has_content, true)
  assert.equal((await kept('word-about')).has_content, false)
})

test('a dry run redacts nothing', async () => {
  await apply([nation('checked', { nation_name: 'Stays as it is' })], 'checked')
  const before = await server.written()
  const facts = [
    { op: 'redact', resource: 'nation', id: 'checked', data: { nation_name: 'Other' } },
    { op: 'erase', player: 'unknown' },
    { op: 'commit', batch: 'only-checked' },
  ]
  const response = await server.sendStream('/facts?check=true', facts)
  assert.match(await response.text(), /"status":"applied"/)
  assert.match(await server.text('/nations/checked'), /Stays as it is/)
  const ledger = (text: string) => text.split('\n').filter(line => line.startsWith('{"op":'))
  assert.deepEqual(ledger(await server.written()), ledger(before))
})

test('texts of the same batch are redacted too', async () => {
  await apply([nation('same', { nation_name: 'Samecanary' })], 'same')
  await apply(
    [
      { op: 'redact', resource: 'nation', id: 'same', data: { nation_name: 'Former' } },
      nation('same', { nation_name: 'Later' }),
    ],
    'same-2',
  )
  assert.doesNotMatch(await dump(server.databaseUrl), /Samecanary|Later/)
  assert.match(await server.text('/nations/same'), /"nation_name":"Former"/)
})
