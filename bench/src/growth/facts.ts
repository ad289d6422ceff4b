/** Facts beyond the simulated history: wars of earlier years, one further day, and what a bare COPY of such rows costs. */
import pg from 'pg'
import { startEmbedded } from '../../../server/src/store/embedded/embedded-server.ts'
import { count } from '../machine.ts'
import { register, type Service } from '../servers.ts'
import { ingestFacts, put } from '../world.ts'
import type { Api } from './api.ts'

const batchLength = 2_500

/** A batch as NDJSON. */
const batchText = (batch: string, facts: object[]) =>
  `${[...facts, { op: 'commit', batch, announce: false }].map(fact => JSON.stringify(fact)).join('\n')}\n`

/** Integers below a maximum, the same for the same seed (MINSTD). */
function randomIntegers(seed: number): (max: number) => number {
  let state = seed
  return max => {
    state = (state * 48_271) % 2_147_483_647
    return state % max
  }
}

const one = <T>(values: readonly [T, ...T[]], at: number): T => values[at % values.length] ?? values[0]
const firstDayMs = Date.UTC(2025, 0, 1)
const timestamp = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')

/** Wars that ended before the history, each one fact and two events: a game that has run for years has more wars than nations. */
export function* pastWars(nations: number, wars: number): Generator<string> {
  const random = randomIntegers(nations)
  for (let first = 1; first <= wars; first += batchLength) {
    const facts = Array.from({ length: Math.min(batchLength, wars - first + 1) }, (_, index) => {
      const attacker = random(nations)
      const declaredMs = firstDayMs + random(365 * 86_400) * 1_000
      return put('war', {
        id: `past${first + index}`,
        type: one(['conquest', 'raid', 'attrition'], index),
        status: 'ended',
        reason: `An old quarrel over border stone ${first + index}.`,
        attacker: { nation_id: `n${1 + attacker}` },
        defender: { nation_id: `n${1 + ((attacker + 1 + random(nations - 1)) % nations)}` },
        declared_at: timestamp(declaredMs),
        ended_at: timestamp(declaredMs + (1 + random(20)) * 86_400_000),
        outcome: one(['attacker_victory', 'defender_victory', 'stalemate'], random(3)),
      })
    })
    yield batchText(`past-${nations}-${first}`, facts)
  }
}

/** Treaties between nations that ended before the history, some of several kinds. */
export function* pastTreaties(nations: number, treaties: number): Generator<string> {
  const random = randomIntegers(nations)
  const kinds = ['mutual_defense', 'non_aggression', 'optional_defense'] as const
  for (let first = 1; first <= treaties; first += batchLength) {
    const facts = Array.from({ length: Math.min(batchLength, treaties - first + 1) }, (_, index) => {
      const party = random(nations)
      const other = (party + 1 + random(nations - 1)) % nations
      const signedMs = firstDayMs + random(365 * 86_400) * 1_000
      return put('treaty', {
        id: `past${first + index}`,
        nation_ids: [`n${1 + party}`, `n${1 + other}`],
        types: [one(kinds, index), ...(index % 5 === 0 ? ['protectorate'] : [])],
        signed_at: timestamp(signedMs),
        ended_at: timestamp(signedMs + (1 + random(90)) * 86_400_000),
      })
    })
    yield batchText(`past-treaties-${nations}-${first}`, facts)
  }
}

/** Long enough that neither the start of the program nor a single ranking round matters. */
const furtherBatches = 40
export const furtherDayText = `${count(furtherBatches * batchLength)} facts about nations, wars and battles in ${furtherBatches} batches`
const sampledPages = 100

/** Ingests a day that is the same for worlds of all sizes: changed nations, new wars, battles and ended wars. Returns facts a second. */
export async function ingestFurtherDay(service: Service, api: Api): Promise<number> {
  const nations = await api.sample<{ id: string }>('/nations', sampledPages)
  const ids = nations.map(({ id }) => id)
  const { facts, seconds } = await ingestFacts(service, furtherDay(ids, Date.now().toString(36)))
  return Math.round(facts / seconds)
}

/** Of ten facts six change nations, one starts a war, two are battles, and one ends a war. */
function* furtherDay(ids: string[], mark: string): Generator<string> {
  const integer = randomIntegers(ids.length)
  const nationAt = (index: number) => ids[index % ids.length] ?? 'n1'
  for (let batch = 0; batch < furtherBatches; batch += 1) {
    const facts: object[] = []
    while (facts.length < batchLength) {
      for (let change = 0; change < 6; change += 1)
        facts.push(
          put('nation', {
            id: nationAt(integer(ids.length)),
            national_score: integer(300_000) / 100,
            military: {
              units: { soldiers: integer(20_000), tanks: integer(900) },
              readiness: integer(1_000) / 10,
            },
            economy: { credits: integer(800_000) },
          }),
        )
      const number = (batch * batchLength + facts.length) / 10
      const war = `further-${mark}-${Math.ceil(number)}`
      const at = integer(ids.length)
      const [attacker, defender] = [nationAt(at), nationAt(at + 1)]
      const [attackers, defenders] = [
        { soldiers: integer(500) },
        { soldiers: integer(500), tanks: integer(20) },
      ]
      facts.push(
        put('war', {
          id: war,
          type: 'raid',
          reason: 'A further day.',
          attacker: { nation_id: attacker },
          defender: { nation_id: defender },
          declared_at: '2026-05-01T00:00:00Z',
        }),
        ...[1, 2].map(part =>
          put('battle', {
            id: `${war}-${part}`,
            war_id: war,
            kind: 'air',
            fought_at: '2026-05-01T06:00:00Z',
            attacker_nation_id: attacker,
            defender_nation_id: defender,
            victor: 'attacker',
            losses: { attacker: attackers, defender: defenders },
          }),
        ),
        put('war', {
          id: `further-${mark}-${Math.max(1, Math.ceil(number) - 100)}`,
          status: 'ended',
          ended_at: '2026-05-01T12:00:00Z',
          outcome: 'stalemate',
        }),
      )
    }
    yield batchText(`further-${mark}-${batch}`, facts)
  }
}

const copiedFacts = 30_000
/** The rows that `copiedFacts` facts of the further day leave behind. */
const copiedRows = {
  'chancery_world.nation': 'order by updated_at desc limit 18000',
  'chancery_secret.nation_private': 'limit 18000',
  'chancery_world.nation_ranking': 'limit 18000',
  'chancery_world.war': "where id like 'further-%' order by updated_at desc limit 3000",
  'chancery_world.battle': "where id like 'further-%' limit 6000",
  'chancery_world.event': 'order by seq desc limit 12000',
  'chancery_world.event_nation': 'order by seq desc limit 24000',
  'chancery_world.event_alliance': 'order by seq desc limit 18000',
}

/** The database of a world whose service is not running. */
async function openDatabase(dataDir: string) {
  const server = register(await startEmbedded({ dataDir, log: () => undefined }))
  const db = new pg.Client(server.connection)
  await db.connect()
  const close = async () => {
    await db.end()
    await server.close()
  }
  return { db, close }
}

/** Autovacuum would come to it some minutes after the world was loaded. */
export async function vacuumWorld(dataDir: string): Promise<void> {
  const { db, close } = await openDatabase(dataDir)
  await db.query('vacuum (analyze)')
  await close()
}

/** Facts a second of a bare COPY of such rows from a file into empty tables of the same shape and indexes, without checks or lookups. */
export async function copyFactsPerSecond(dataDir: string): Promise<number> {
  const { db, close } = await openDatabase(dataDir)
  await db.query('drop schema if exists chancery_bench cascade; create schema chancery_bench')
  let ms = 0
  for (const [table, rows] of Object.entries(copiedRows)) {
    const target = table.replace(/.*\./, 'chancery_bench.')
    await db.query(`create table ${target} (like ${table} including all)`)
    const { rows: found } = await db.query<{ names: string; file: string }>(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as names,
          quote_literal(current_setting('data_directory') || '/chancery_bench') as file
        from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [target],
    )
    const { names, file } = found[0] ?? {}
    await db.query(`copy (select ${names} from ${table} ${rows}) to ${file}`)
    const startedMs = performance.now()
    await db.query(`copy ${target} (${names}) from ${file}`)
    ms += performance.now() - startedMs
  }
  await db.query('drop schema chancery_bench cascade')
  await close()
  return Math.round(copiedFacts / (ms / 1_000))
}
