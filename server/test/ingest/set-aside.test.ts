import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { limits } from '@chancery/contract'
import fc from 'fast-check'
import { closeAfter } from '../support/close-after.ts'
import { pluck } from '../support/pluck.ts'
import { readStatus } from '../support/read-status.ts'
import { type Fact, type Outcome, startTestServer } from '../support/test-server.ts'
import { randomRuns } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { alliance, battle, commit, event, lines, member, nation, put, remove, war } from './facts.ts'

const chancery = closeAfter(await startTestServer())

const setAside = { refused: 'set_aside' }
let batches = 0
const send = async (...facts: Fact[]): Promise<Outcome & { set_aside: number }> => {
  batches += 1
  const [outcome] = await chancery.send(lines(...facts, commit(`b${batches}`, setAside)))
  return outcome as Outcome & { set_aside: number }
}

interface Waiting {
  id: string
  content: string | null
  is_set_aside: boolean
  overtaken_by: string | null
  tries: number
  refusals: { line: number; path: string; reason: string }[]
}
const waiting = async (): Promise<Waiting[]> => {
  const list = (await (await chancery.operate('GET', '/refused?limit=1000')).json()) as {
    data: { id: string }[]
  }
  return Promise.all(
    list.data.map(
      async ({ id }) => (await chancery.operate('GET', `/refused/${id}`)).json() as Promise<Waiting>,
    ),
  )
}
const waitingFacts = async () => (await waiting()).map(({ content }) => JSON.parse(content ?? '{}') as Fact)
const noneWaits = () => until(async () => (await waiting()).length === 0, 'nothing is set aside')
const statusOf = async (path: string) => (await chancery.get(path)).status
const motto = async (id: string) =>
  (await chancery.read<{ data: { motto: string | null } }>(`/nations/${id}`)).data.motto
const operate = async (method: string, path: string, body?: object) => {
  const response = await chancery.operate(method, path, body)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const dropAll = async () => {
  for (const { id } of await waiting()) await operate('DELETE', `/refused/${id}`)
}
afterEach(dropAll)

test('the facts that fit are applied, the others are stored one by one with their reasons', async () => {
  const bad = nation('a2', { land_area: -1, nation_name: '' })
  const outcome = await send(nation('a1'), bad, event({ type: 'game.unknown' }), remove('nation', 'a9'))
  assert.deepEqual(
    [outcome.status, outcome.facts, outcome.set_aside, outcome.is_kept],
    ['applied', 2, 2, false],
  )
  assert.deepEqual(
    outcome.refused.map(({ line, path }) => [line, path]),
    [
      [2, '/data/nation_name'],
      [2, '/data/land_area'],
      [3, '/data/type'],
    ],
  )
  assert.equal(await statusOf('/nations/a1'), 200)
  const found = await waiting()
  assert.deepEqual((await waitingFacts()).map(fact => (fact as { op: string }).op).sort(), ['event', 'put'])
  const stored = found.find(({ refusals }) => refusals.length === 2)
  assert.deepEqual(JSON.parse(stored?.content ?? ''), bad)
  assert.deepEqual(pluck(stored?.refusals ?? [], 'line', 'path'), [
    [1, '/data/nation_name'],
    [1, '/data/land_area'],
  ])
  const { set_aside_facts, refused_batches } = await readStatus<Record<string, number>>(chancery)
  assert.deepEqual([set_aside_facts, refused_batches], [2, 0])
})

test('facts that refer to others wait for them, and are applied when they arrive', async () => {
  const outcome = await send(
    battle('b-battle', 'b-war', 'b1', 'b2'),
    war('b-war', 'b1', 'b2'),
    nation('b1'),
    nation('b2', { land_area: -1 }),
    member('b2', 'b-alliance'),
    alliance('b-alliance'),
  )
  assert.deepEqual([outcome.facts, outcome.set_aside], [2, 4])
  assert.deepEqual([...new Set(outcome.refused.map(({ line }) => line))], [1, 2, 4, 5])
  assert.deepEqual([await statusOf('/wars/b-war'), await statusOf('/alliances/b-alliance')], [404, 200])
  const fixed = await send(nation('b2', { land_area: 1 }))
  assert.equal(fixed.set_aside, 0)
  await noneWaits()
  assert.deepEqual([await statusOf('/wars/b-war'), await statusOf('/battles/b-battle')], [200, 200])
  const { data } = await chancery.read<{ data: { nation_id: string }[] }>('/alliances/b-alliance/members')
  assert.deepEqual(pluck(data, 'nation_id'), ['b2'])
})

test('a fact is removed when later facts state all of it, and else superseded', async () => {
  await send(nation('c1', { motto: 'first', land_area: -1 }))
  assert.equal((await waiting()).length, 1)
  await send(nation('c1', { motto: 'second', land_area: 1 }))
  assert.deepEqual(await waiting(), [])

  await send(nation('c1', { motto: 'third', color: 'none', land_area: -1 }))
  await send(put('nation', { id: 'c1', land_area: 2 }))
  const [superseded] = await waiting()
  assert.equal(superseded?.overtaken_by, `b${batches}`)
  assert.equal((await operate('POST', `/refused/${superseded.id}/retry`)).status, 409)
  await send(remove('nation', 'c1'))
  // It was superseded before: a person decides.
  assert.equal((await waiting()).length, 1)
})

test('the order within a batch decides which fact is the newer one', async () => {
  await send(nation('d1', { motto: 'old', land_area: -1 }), nation('d1', { motto: 'new', land_area: 3 }))
  assert.deepEqual([await motto('d1'), await waiting()], ['new', []])
  await send(nation('d1', { motto: 'newer' }), nation('d1', { motto: 'newest', land_area: -1 }))
  assert.deepEqual([await motto('d1'), (await waitingFacts()).length], ['newer', 1])
  // Of several that are rejected the newest replaces the others.
  await send(nation('d1', { motto: 'late', land_area: -3 }), nation('d1', { motto: 'last', land_area: -2 }))
  const [last, ...more] = await waitingFacts()
  assert.deepEqual([last, more], [nation('d1', { motto: 'last', land_area: -2 }), []])
  await send(nation('d1', { motto: 'final', land_area: 4 }))
  assert.deepEqual(await waiting(), [])
})

test('a row of a snapshot that is set aside stays in the world; a snapshot without it removes it from the list', async () => {
  const world = Array.from({ length: 12 }, (_, index) => nation(`e${index}`))
  const snapshot: Fact = { op: 'snapshot', resource: 'nation', allow_deletes: true }
  await send(snapshot, ...world)
  const outcome = await send(
    snapshot,
    ...world.slice(1),
    nation('e0', { land_area: -1 }),
    nation('e-new', { color: 7 }),
  )
  assert.deepEqual([outcome.status, outcome.facts, outcome.set_aside], ['applied', 12, 2])
  assert.equal(await statusOf('/nations/e0'), 200)
  await send(snapshot, ...world)
  assert.deepEqual(await waiting(), [])
})

test('a batch is rejected as a whole where a line cannot be set aside', async () => {
  const reject = async (text: string, about: RegExp) => {
    const [outcome] = await chancery.send(text)
    assert.equal(outcome?.status, 'refused', text.slice(0, 200))
    assert.match(JSON.stringify(outcome.refused), about)
    await operate('DELETE', `/refused/${outcome.batch}`)
  }
  const bad = nation('f1', { land_area: -1 })
  const end = (id: string) => lines(commit(id, setAside))
  await reject(`{"op":\n${end('f-json')}`, /not JSON/)
  await reject(lines({ op: 'copy' } as unknown as Fact) + end('f-op'), /must be one of/)
  await reject(
    lines(nation('f2'), { op: 'snapshot', resource: 'nation' }) + end('f-late'),
    /must come before/,
  )
  await reject(lines(bad, { op: 'erase', player: 'p-none' }) + end('f-erase'), /land_area/)
  const many = Array.from({ length: limits.setAsidePerBatch + 1 }, (_, index) =>
    nation(`f${index}`, { land_area: -1 }),
  )
  await reject(lines(...many) + end('f-many'), /at most 1000 facts/)
  await reject(
    lines(
      ...many.slice(0, -1).map((_, index) => member(`fm${index}`, 'f-none')),
      member('fm-more', 'f-none'),
    ) + end('f-refer'),
    /at most 1000 facts/,
  )
  assert.equal(await statusOf('/nations/f2'), 404)
  assert.deepEqual(await waiting(), [])
})

test('a JSON batch and a whole stream may request it, and a check stores nothing', async () => {
  const facts = [nation('g1', { land_area: -1 }), nation('g2')]
  const json = async (query: string, body: object, id: string) =>
    (await fetch(`${chancery.operatorUrl}/facts${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${chancery.operatorToken}`,
        'content-type': 'application/json',
        'idempotency-key': id,
      },
      body: JSON.stringify(body),
    }).then(response => response.json())) as Record<string, unknown>
  const byBody = await json('', { facts, refused: 'set_aside' }, 'g-json')
  assert.deepEqual([byBody.status, byBody.set_aside], ['applied', 1])
  const byQuery = await json('?refused=set_aside', { facts: [nation('g1', { land_area: -2 })] }, 'g-query')
  assert.deepEqual([byQuery.status, byQuery.set_aside], ['applied', 1])
  const checked = await fetch(`${chancery.operatorUrl}/facts?check=true&refused=set_aside`, {
    method: 'POST',
    headers: { authorization: `Bearer ${chancery.operatorToken}`, 'content-type': 'application/x-ndjson' },
    body: lines(nation('g3', { land_area: -1 }), nation('g4'), commit('g-check')),
  })
  const outcome = (await checked.json()) as Record<string, unknown>
  assert.deepEqual([outcome.status, outcome.facts, outcome.set_aside], ['applied', 1, 1])
  assert.equal(await statusOf('/nations/g4'), 404)
  assert.equal((await waiting()).length, 1)
  await send(nation('g1', { land_area: 1 }))
  assert.deepEqual(await waiting(), [])
})

test('a batch that is sent again is a duplicate, and the same fact again is one entry', async () => {
  const text = lines(nation('h1'), nation('h2', { land_area: -1 }), commit('h-once', setAside))
  await chancery.send(text)
  const [again] = await chancery.send(text)
  assert.equal(again?.status, 'duplicate')
  await send(nation('h2', { land_area: -1 }))
  const [entry, ...more] = await waiting()
  assert.deepEqual([entry?.tries, more], [2, []])
  const refused = await operate('POST', `/refused/${entry?.id}/retry`)
  assert.deepEqual([refused.status, refused.body.batch, refused.body.status], [422, entry?.id, 'refused'])
})

test('events that wait are added to the log once each, also equal ones', async () => {
  const weapon = event({
    type: 'strategic_weapon.launched',
    occurred_at: '2026-05-21T03:12:00Z',
    data: { weapon: 'nuclear_missile', attacker_nation_id: 'i1', defender_nation_id: 'i2' },
  })
  await send(nation('i1'), weapon, weapon)
  assert.equal((await waiting()).length, 2)
  await send(nation('i2'))
  await noneWaits()
  await send(nation('i3'))
  const { data } = await chancery.read<{ data: object[] }>(
    '/events?type=strategic_weapon.launched&nation_id=i2',
  )
  assert.equal(data.length, 2)
})

test('an erasure removes the text of a waiting fact, which is not applied any more', async () => {
  await send(nation('j1', { player: 'p-erased', nation_name: 'Known Name' }))
  await send(member('j1', 'j-none'))
  await chancery.ingest([{ op: 'erase', player: 'p-erased' }], { waits: false })
  const [entry] = await waiting()
  assert.equal(entry?.content, null)
  await send(alliance('j-none'))
  const { data } = await chancery.read<{ data: object[] }>('/alliances/j-none/members')
  assert.deepEqual(data, [])
})

test('the world ends as after the facts that fit, in their order, for random facts', async () => {
  const ids = ['1', '2', '3']
  const kinds = ['nation', 'alliance', 'member', 'leave'] as const
  const drawn = fc.array(
    fc.array(
      fc.record({
        kind: fc.constantFrom(...kinds),
        of: fc.constantFrom(...ids),
        to: fc.constantFrom(...ids),
        isBad: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    { minLength: 1, maxLength: 8 },
  )
  const newerThatWaits = [
    [
      { kind: 'alliance', of: '1', to: '2', isBad: false },
      { kind: 'member', of: '2', to: '2', isBad: false },
    ],
    [
      { kind: 'member', of: '2', to: '1', isBad: false },
      { kind: 'nation', of: '2', to: '1', isBad: false },
    ],
  ]
  let run = 0
  await fc.assert(
    fc.asyncProperty(drawn, async all => {
      run += 1
      await dropAll()
      const [nations, alliances] = [new Map<string, string>(), new Set<string>()]
      const members = new Map<string, string>()
      let pending: {
        fact: Fact
        line: number
        key: string
        isBad: boolean
        of: string
        to: string
        kind: (typeof kinds)[number]
      }[] = []
      let line = 0
      for (const facts of all) {
        const written = facts.map(({ kind, of, to, isBad }) => {
          line += 1
          const [n, a] = [`r${run}n${of}`, `r${run}a${to}`]
          const fact =
            kind === 'nation'
              ? nation(n, { motto: `${line}`, land_area: isBad ? -1 : 1 })
              : kind === 'alliance'
                ? alliance(a, isBad ? { color: 7 } : { color: '#2f6fde' })
                : kind === 'member'
                  ? member(n, a, { joined_at: isBad ? 'once' : '2026-05-21T03:12:00Z' })
                  : remove('alliance_member', n)
          const key =
            kind === 'nation' ? `nation ${n}` : kind === 'alliance' ? `alliance ${a}` : `member ${n}`
          return { fact, line, key, isBad: isBad && kind !== 'leave', of: n, to: a, kind }
        })
        const outcome = await send(...written.map(({ fact }) => fact))
        assert.equal(outcome.status, 'applied')
        // The model: of a batch all that fits, in order; then what waits. A later fact of the same item replaces one that waits.
        const applyFitting = (facts: typeof written): typeof written => {
          let left = facts
          for (let isMore = true; isMore; ) {
            const next: typeof left = []
            const isStated = (key: string) => left.some(other => other.key === key && !other.isBad)
            for (const one of left) {
              const fits =
                !one.isBad &&
                (one.kind !== 'member' ||
                  ((nations.has(one.of) || isStated(`nation ${one.of}`)) &&
                    (alliances.has(one.to) || isStated(`alliance ${one.to}`))))
              if (!fits) {
                next.push(one)
                continue
              }
              if (one.kind === 'nation') nations.set(one.of, `${one.line}`)
              if (one.kind === 'alliance') alliances.add(one.to)
              if (one.kind === 'member') members.set(one.of, one.to)
              if (one.kind === 'leave') members.delete(one.of)
              for (const older of next.filter(other => other.key === one.key))
                next.splice(next.indexOf(older), 1)
            }
            isMore = next.length < left.length
            left = next
          }
          return left.filter((one, at) => !left.slice(at + 1).some(({ key }) => key === one.key))
        }
        const isRestated = ({ key }: { key: string }) => written.some(fact => fact.key === key)
        const left = applyFitting(written)
        pending = applyFitting([...pending.filter(fact => !isRestated(fact)), ...left])
        await until(
          async () => {
            const found = await waitingFacts()
            return found.length === pending.length
          },
          `${pending.length} facts wait`,
          10_000,
        )
      }
      for (const of of ids) {
        const id = `r${run}n${of}`
        assert.equal(await statusOf(`/nations/${id}`), nations.has(id) ? 200 : 404, id)
        if (nations.has(id)) assert.equal(await motto(id), nations.get(id), id)
      }
      for (const of of ids) {
        const id = `r${run}a${of}`
        assert.equal(await statusOf(`/alliances/${id}`), alliances.has(id) ? 200 : 404, id)
        if (!alliances.has(id)) continue
        const { data } = await chancery.read<{ data: { nation_id: string }[] }>(`/alliances/${id}/members`)
        const expected = [...members].flatMap(([nationId, allianceId]) =>
          allianceId === id ? [nationId] : [],
        )
        assert.deepEqual(pluck(data, 'nation_id').sort(), expected.sort())
      }
    }),
    { numRuns: randomRuns(60), examples: [[newerThatWaits]] },
  )
})
