import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listedResources } from '@chancery/contract'
import { createWorld } from '@chancery/simulator'
import { openStream } from '../events/stream-reader.ts'
import { smallWorld } from '../http/world.ts'
import { alliance, battle, member, nation, put, remove, war } from '../ingest/facts.ts'
import { useTestServer } from '../support/fixture.ts'
import type { Fact } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { readItems } from './listed-items.ts'

interface Change {
  seq: number
  resource: string
  id: string
  change: 'put' | 'deleted'
}
interface Page {
  data: Change[]
  pagination: { total: number; pages: number }
}

const chancery = useTestServer()

async function changesAfter(after: number): Promise<Change[]> {
  const changes: Change[] = []
  for (let position = after; ; position = changes.at(-1)?.seq ?? position) {
    const { data } = await chancery.read<Page>(`/changes?limit=100&after=${position}`)
    if (data.length === 0) return changes
    changes.push(...data)
  }
}

let position = 1
let before = new Map<string, string>()

/** Compares the changes since the last call with what has changed in the lists. `extra`: changes without a difference that are allowed. */
async function assertChangesAreThoseOfLists(what: string, { isExact = true } = {}): Promise<void> {
  const { change_seq: newest = 0 } =
    (await chancery.query<{ change_seq: number }>('select change_seq::int from chancery_world.pulse'))[0] ??
    {}
  await until(async () => {
    const changes = await changesAfter(position)
    return newest === position || (changes.at(-1)?.seq ?? 0) === newest
  }, 'all changes are listed')
  const changes = await changesAfter(position)
  const after = await readItems(chancery)
  const expected = new Map<string, string>()
  for (const [key, json] of after) if (before.get(key) !== json) expected.set(key, 'put')
  for (const key of before.keys()) if (!after.has(key)) expected.set(key, 'deleted')
  const logged = new Map(changes.map(({ resource, id, change }) => [`${resource} ${id}`, change]))
  assert.equal(logged.size, changes.length, `${what}: each item once`)
  for (const [key, change] of expected) assert.equal(logged.get(key), change, `${what}: ${key}`)
  if (isExact) {
    const superfluous = [...logged.keys()].filter(key => !expected.has(key))
    assert.deepEqual(superfluous, [], `${what}: items that are as before`)
  }
  position = newest
  before = after
}

/** Batches that each change items in another way: directly, by a copy, by a counter. */
const batches: Record<string, Fact[]> = {
  'a new world': [...smallWorld(), battle('b9', 'w1', 'n1', 'n2')],
  'the same facts again': smallWorld(),
  'a name of a leader': [put('nation', { id: 'n1', nation_name: 'Valdoria Nova' })],
  'the name of a member': [put('nation', { id: 'n3', nation_name: 'Third of that name' })],
  'a motto': [put('nation', { id: 'n3', motto: 'Onwards' })],
  'a score': [put('nation', { id: 'n3', national_score: 4321 })],
  'the score of a nation without alliance': [put('nation', { id: 'n7', national_score: 99 })],
  'a private field': [
    put('nation', { id: 'n1', moderation_notes: 'seen', economy: { credits: 9, resources: {} } }),
  ],
  'a treaty': [put('treaty', { id: 't9', alliance_ids: ['a1', 'a2'], type: 'non_aggression' })],
  'a name of an alliance': [put('alliance', { id: 'a1', name: 'Southern Pact' })],
  'a tag of an alliance': [put('alliance', { id: 'a1', tag: 'SP' })],
  'a description of an alliance': [put('alliance', { id: 'a1', description: 'Old friends' })],
  'a conflict': [
    put('conflict', {
      id: 'c9',
      name: 'The long war',
      started_at: '2026-05-10T00:00:00Z',
      sides: [
        { name: 'North', alliances: [{ alliance_id: 'a1' }] },
        { name: 'South', alliances: [{ alliance_id: 'a2' }] },
      ],
    }),
  ],
  'the name of an alliance in a conflict': [put('alliance', { id: 'a2', name: 'Freer Ports' })],
  'a war of a conflict': [war('w9', 'n1', 'n5', { conflict_id: 'c9' })],
  'a battle of that war': [
    battle('b10', 'w9', 'n1', 'n5', { losses: { attacker: { tanks: 3 } }, victor: 'attacker' }),
  ],
  'the end of that war': [
    put('war', { id: 'w9', ended_at: '2026-05-24T00:00:00Z', outcome: 'attacker_victory' }),
  ],
  'a new rank': [member('n2', 'a1', { rank: 'leader' })],
  'a new member': [nation('n20'), member('n20', 'a2')],
  'a change of alliance': [member('n20', 'a1')],
  'a permission': [put('alliance_member', { nation_id: 'n20', alliance_id: 'a1', can_view_treasury: true })],
  'the end of a treaty': [put('treaty', { id: 't9', ended_at: '2026-05-25T00:00:00Z' })],
  'a deleted war': [remove('war', 'w9')],
  'a deleted member': [remove('nation', 'n20')],
  'a nation that is deleted and put again': [remove('nation', 'n7'), nation('n7')],
  'a deleted leader': [remove('nation', 'n5')],
  'another alliance': [alliance('a9'), member('n7', 'a9')],
  'a disbanded alliance': [remove('alliance', 'a9')],
  'a disbanded alliance of a conflict': [remove('alliance', 'a2')],
  'a redacted name of that alliance': [
    { op: 'redact', resource: 'alliance', id: 'a2', data: { name: 'Removed' } },
  ],
  'a redacted name': [
    { op: 'redact', resource: 'nation', id: 'n1', data: { nation_name: 'Removed nation' } },
  ],
  'an erased player': [{ op: 'erase', player: 'player-of-n2' }],
  'a price': [
    put('market_price', {
      resource: 'steel',
      price: 12.5,
      currency: 'credits',
      as_of: '2026-05-20T00:00:00Z',
    }),
  ],
}

describe('the change log has what has changed in the lists, and nothing else', () => {
  for (const [name, facts] of Object.entries(batches))
    test(name, async () => {
      await chancery.ingest(facts)
      // A leader of lower seniority, whom the alliance does not show, counts as one.
      await assertChangesAreThoseOfLists(name, {
        isExact: name !== 'a new rank' && name !== 'an erased player',
      })
    })

  test('a simulated world, day by day', async () => {
    const days = tier === 'quick' ? 20 : 60
    const world = createWorld({ nations: 30, days, seed: 7, endsAt: '2026-05-01T00:00:00Z' })
    let day = 0
    for (const batch of world.history()) {
      await chancery.ingest(batch.facts as never, { waits: false })
      day += 1
      if (day % 20 === 0) await assertChangesAreThoseOfLists(`day ${day}`, { isExact: false })
    }
  })

  test('a reset', async () => {
    const { data } = await chancery.read<{ data: { id: string; status: string }[] }>('/eras?limit=100')
    const era = data.find(({ status }) => status === 'active')
    await chancery.ingest([{ op: 'reset', ended: { id: era?.id }, next: { id: 'e-next', name: 'Next era' } }])
    await assertChangesAreThoseOfLists('reset', { isExact: false })
  })
})

test('pages have exact totals, wherever they begin and whatever they filter', async () => {
  const all = await changesAfter(1)
  assert.ok(all.length > 100)
  for (const resource of [undefined, 'nation', 'war,battle', listedResources.join()]) {
    const matching = all.filter(
      change => resource === undefined || resource.split(',').includes(change.resource),
    )
    for (const start of [0, 1, Math.floor(matching.length / 2), matching.length - 1]) {
      const after = start === 0 ? 1 : (matching[start - 1]?.seq ?? 1)
      const filter = resource === undefined ? '' : `&resource=${resource}`
      for (const page of [1, 2, 3, 50]) {
        const { data, pagination } = await chancery.read<Page>(
          `/changes?after=${after}&limit=7&page=${page}${filter}`,
        )
        assert.equal(pagination.total, matching.length - start, `${resource} after ${after}`)
        const first = start + (page - 1) * 7
        assert.deepEqual(data, matching.slice(first, first + 7), `${resource} after ${after}, page ${page}`)
      }
    }
  }
})

test('a position that is not stored is 410', async () => {
  for (const after of [0, 1_000_000]) {
    const response = await chancery.get(`/changes?after=${after}`)
    assert.equal(response.status, 410)
    assert.match(JSON.stringify(await response.json()), /cursor_expired.*newest snapshot/)
  }
})

test('a stream sends the changes after a number, then new ones', async () => {
  const all = await changesAfter(1)
  const third = all[2]
  const stream = await openStream(`${chancery.url}/api/v1/changes/stream?after=${third?.seq}`)
  try {
    await stream.upToDate()
    const received = stream.data().map(data => JSON.parse(data) as Change)
    assert.deepEqual(received, all.slice(3))
    await chancery.ingest([
      put('news_item', { id: 'late-news', title: 'Late', published_at: '2026-06-01T00:00:00Z' }),
    ])
    await stream.until(({ data }) => data?.includes('"late-news"') ?? false)
  } finally {
    stream.close()
  }
})
