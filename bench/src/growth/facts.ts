/** Facts beyond the simulated history: wars of earlier years, one further day, and what a bare COPY of such rows costs. */
import { Readable } from 'node:stream'
import pg from 'pg'
import { startEmbedded } from '../../../server/src/store/embedded/embedded-server.ts'
import { register, type Service } from '../servers.ts'
import { ingestFacts } from '../world.ts'
import type { Api } from './queries.ts'

const batchLength = 2_500
const daySeconds = 86_400
const firstDay = Date.UTC(2025, 0, 1) / 1_000

const put = (resource: string, data: object) => ({ op: 'put', resource, data })

/** A batch as NDJSON. */
const batchText = (batch: string, facts: object[]) =>
  `${[...facts, { op: 'commit', batch, announce: false }].map(fact => JSON.stringify(fact)).join('\n')}\n`

/** Wars that ended before the history, each one fact and two events: a game that has run for years has more wars than nations. */
export function* pastWars(nations: number, wars: number): Generator<string> {
  const random = randomSequence(nations)
  for (let first = 1; first <= wars; first += batchLength) {
    const length = Math.min(batchLength, wars - first + 1)
    const facts = Array.from({ length }, (_, index) => pastWar(first + index, nations, random))
    yield batchText(`past-${nations}-${first}`, facts)
  }
}

const outcomes = ['attacker_victory', 'defender_victory', 'stalemate']
const types = ['conquest', 'raid', 'attrition']

function pastWar(number: number, nations: number, random: () => number) {
  const attacker = 1 + Math.floor(random() * nations)
  const defender = 1 + ((attacker + Math.floor(random() * (nations - 1))) % nations)
  const declared = firstDay + Math.floor(random() * 365 * daySeconds)
  return put('war', {
    id: `past${number}`,
    type: types[number % types.length],
    status: 'ended',
    reason: `An old quarrel over border stone ${number}.`,
    attacker: { nation_id: `n${attacker}` },
    defender: { nation_id: `n${defender}` },
    declared_at: timestamp(declared),
    ended_at: timestamp(declared + Math.floor((1 + random() * 20) * daySeconds)),
    outcome: outcomes[Math.floor(random() * outcomes.length)],
  })
}

const timestamp = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')

/** Numbers from 0 to 1, the same for the same seed. */
function randomSequence(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Long enough that neither the start of the program nor a single ranking round matters. */
const furtherBatches = 40
export const furtherDayText = `${(furtherBatches * batchLength).toLocaleString('en')} facts about nations, wars and battles in ${furtherBatches} batches`
const sampledNations = 10_000

/** Ingests a day that is the same for worlds of all sizes: changed nations, new wars, battles and ended wars. Returns facts a second. */
export async function ingestFurtherDay(service: Service, api: Api, nations: number): Promise<number> {
  const ids = await sampleNations(api, Math.min(sampledNations, nations))
  const { facts, seconds } = await ingestFacts(
    service,
    Readable.from(furtherDay(ids, Date.now().toString(36))),
  )
  return Math.round(facts / seconds)
}

async function sampleNations(api: Api, count: number): Promise<string[]> {
  type Page = { data: { id: string }[]; pagination: { pages: number } }
  const { pages } = (await api.read<Page>('/nations?limit=100')).pagination
  const ids: string[] = []
  const wanted = Math.min(pages, Math.ceil(count / 100))
  for (let number = 0; number < wanted; number += 1) {
    const page = 1 + Math.floor((pages * number) / wanted)
    const { data } = await api.read<Page>(`/nations?limit=100&page=${page}`)
    ids.push(...data.map(({ id }) => id))
  }
  return ids
}

/** Of ten facts six change nations, one starts a war, two are battles, and one ends a war. */
function* furtherDay(ids: string[], mark: string): Generator<string> {
  const random = randomSequence(ids.length)
  const integer = (max: number) => Math.floor(random() * max)
  const anyNation = () => ids[integer(ids.length)] ?? 'n1'
  let wars = 0
  for (let batch = 0; batch < furtherBatches; batch += 1) {
    const facts: object[] = []
    for (let ten = 0; ten < batchLength / 10; ten += 1) {
      for (let one = 0; one < 6; one += 1)
        facts.push(
          put('nation', {
            id: anyNation(),
            national_score: Math.round(random() * 300_000) / 100,
            military: {
              units: { soldiers: integer(20_000), tanks: integer(900) },
              readiness: Math.round(random() * 1_000) / 10,
            },
            economy: { credits: integer(800_000) },
          }),
        )
      wars += 1
      const id = `further-${mark}-${wars}`
      const attacker = anyNation()
      const [defender = 'n2'] = [anyNation(), anyNation(), anyNation()].filter(other => other !== attacker)
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
      for (const part of [1, 2])
        facts.push(
          put('battle', {
            id: `${id}-${part}`,
            war_id: id,
            kind: 'air',
            fought_at: '2026-05-01T06:00:00Z',
            attacker_nation_id: attacker,
            defender_nation_id: defender,
            victor: 'attacker',
            losses: {
              attacker: { soldiers: integer(500) },
              defender: { soldiers: integer(500), tanks: integer(20) },
            },
          }),
        )
      facts.push(
        put('war', {
          id: `further-${mark}-${Math.max(1, wars - 100)}`,
          status: 'ended',
          ended_at: '2026-05-01T12:00:00Z',
          outcome: 'stalemate',
        }),
      )
    }
    yield batchText(`further-${mark}-${batch}`, facts)
  }
}

/** The rows that 30,000 facts of the further day leave behind. */
const copiedRows = [
  { table: 'chancery_world.nation', rows: 'order by updated_at desc limit 18000' },
  { table: 'chancery_secret.nation_private', rows: 'limit 18000' },
  { table: 'chancery_world.nation_place', rows: 'limit 18000' },
  { table: 'chancery_world.war', rows: "where id like 'further-%' order by updated_at desc limit 3000" },
  { table: 'chancery_world.battle', rows: "where id like 'further-%' limit 6000" },
  { table: 'chancery_world.event', rows: 'order by seq desc limit 12000' },
  { table: 'chancery_world.event_nation', rows: 'order by seq desc limit 24000' },
  { table: 'chancery_world.event_alliance', rows: 'order by seq desc limit 18000' },
]
const copiedFacts = 30_000

/** Facts a second of a bare COPY of such rows from a file into empty tables of the same shape and indexes, without checks or lookups. */
export async function copyFactsPerSecond(dataDir: string): Promise<number> {
  const server = register(await startEmbedded({ dataDir, log: () => undefined }))
  const db = new pg.Client(server.connection)
  await db.connect()
  await db.query('drop schema if exists chancery_bench cascade; create schema chancery_bench')
  let ms = 0
  for (const [index, { table, rows }] of copiedRows.entries()) {
    const target = `chancery_bench.t${index}`
    await db.query(`create table ${target} (like ${table} including all)`)
    const columns = await db.query<{ names: string }>(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
          where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [target],
    )
    const names = columns.rows[0]?.names
    const { rows: found } = await db.query<{ file: string }>(
      "select current_setting('data_directory') || '/chancery_bench' as file",
    )
    const file = `'${found[0]?.file.replaceAll("'", "''")}'`
    await db.query(`copy (select ${names} from ${table} ${rows}) to ${file}`)
    const startedMs = performance.now()
    await db.query(`copy ${target} (${names}) from ${file}`)
    ms += performance.now() - startedMs
  }
  await db.query('drop schema chancery_bench cascade')
  await db.end()
  await server.close()
  return Math.round(copiedFacts / (ms / 1_000))
}
