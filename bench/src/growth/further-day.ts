import { Readable } from 'node:stream'
import type { Asker } from './asking.ts'
import { sequence } from './past-wars.ts'
import { ingest, type World } from './worlds.ts'

/** Long enough that neither the start of the program nor a single ranking round decides. */
const batches = 40
const batchLength = 2_500
/** As the page says it. */
export const furtherDayText = `${(batches * batchLength).toLocaleString('en')} facts about nations, wars and battles in ${batches} batches`
const sampledNations = 10_000

/**
 * What a day of any world is made of, so that worlds of all sizes are told the same: nations that changed, wars, battles and ends of
 * wars, about nations from all over the world. Returns how fast they were taken in.
 */
export async function ingestFurtherDay(
  world: World,
  asker: Asker,
): Promise<{ facts: number; seconds: number; factsPerSecond: number }> {
  const ids = await idsOf(asker, Math.min(sampledNations, world.nations))
  const text = factsOf(ids, `${Date.now().toString(36)}`)
  const { facts, seconds } = await ingest(world.served, Readable.from(text))
  return { facts, seconds, factsPerSecond: Math.round(facts / seconds) }
}

async function idsOf(asker: Asker, count: number): Promise<string[]> {
  type Listed = { data: { id: string }[]; pagination: { pages: number } }
  const { pages } = (await asker.read<Listed>('/nations?limit=100')).pagination
  const ids: string[] = []
  const wanted = Math.min(pages, Math.ceil(count / 100))
  for (let number = 0; number < wanted; number += 1) {
    const page = 1 + Math.floor((pages * number) / wanted)
    const { data } = await asker.read<Listed>(`/nations?limit=100&page=${page}`)
    ids.push(...data.map(({ id }) => id))
  }
  return ids
}

/** Of ten facts six are of nations, one of a war that begins, two of battles, and one of a war that ends. */
function* factsOf(ids: string[], mark: string): Generator<string> {
  const random = sequence(ids.length)
  const anyNation = () => ids[Math.floor(random() * ids.length)] ?? 'n1'
  let wars = 0
  const sides = new Map<string, { attacker: string; defender: string }>()
  for (let batch = 0; batch < batches; batch += 1) {
    const facts: object[] = []
    for (let ten = 0; ten < batchLength / 10; ten += 1) {
      for (let one = 0; one < 6; one += 1) facts.push(nationFact(anyNation(), random))
      wars += 1
      const id = `further-${mark}-${wars}`
      const attacker = anyNation()
      const [defender = 'n2'] = [anyNation(), anyNation(), anyNation()].filter(other => other !== attacker)
      sides.set(id, { attacker, defender })
      facts.push(
        put('war', {
          id,
          type: 'raid',
          reason: 'A further day.',
          attacker: { nation_id: attacker },
          defender: { nation_id: defender },
          declared_at: '2026-05-01T00:00:00Z',
        }),
      )
      for (const part of [1, 2]) facts.push(battleFact(`${id}-${part}`, id, { attacker, defender }, random))
      const ended = `further-${mark}-${Math.max(1, wars - 100)}`
      facts.push(
        put('war', { id: ended, status: 'ended', ended_at: '2026-05-01T12:00:00Z', outcome: 'stalemate' }),
      )
    }
    const commit = { op: 'commit', batch: `further-${mark}-${batch}`, announce: false }
    yield `${[...facts, commit].map(line => JSON.stringify(line)).join('\n')}\n`
  }
}

const put = (resource: string, data: object) => ({ op: 'put', resource, data })

const nationFact = (id: string, random: () => number) =>
  put('nation', {
    id,
    national_score: Math.round(random() * 300_000) / 100,
    military: {
      units: { soldiers: Math.floor(random() * 20_000), tanks: Math.floor(random() * 900) },
      readiness: Math.round(random() * 1_000) / 10,
    },
    economy: { credits: Math.floor(random() * 800_000) },
  })

const battleFact = (
  id: string,
  war_id: string,
  { attacker, defender }: { attacker: string; defender: string },
  random: () => number,
) =>
  put('battle', {
    id,
    war_id,
    kind: 'air',
    fought_at: '2026-05-01T06:00:00Z',
    attacker_nation_id: attacker,
    defender_nation_id: defender,
    victor: 'attacker',
    losses: {
      attacker: { soldiers: Math.floor(random() * 500) },
      defender: { soldiers: Math.floor(random() * 500), tanks: Math.floor(random() * 20) },
    },
  })
