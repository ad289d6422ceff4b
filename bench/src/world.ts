/** The world of a benchmark: simulated history, ingested as a game would, and what there is to query in it. */
import { spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { scopes } from '@chancery/contract'
import { linesOf, simulateHistory, type WorldOptions } from '@chancery/simulator'
import { type Postgres, type Service, unreachableLimit } from './servers.ts'

const program = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))

/** Pipes facts as NDJSON into `chancery ingest`. Rejects if a batch was rejected. */
export async function ingestFacts(
  { operatorUrl, operatorToken }: Service,
  lines: Iterable<string>,
): Promise<{ facts: number; seconds: number }> {
  const child = spawn(process.execPath, [program, 'ingest', '-', '--json'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, CHANCERY_OPERATOR_URL: operatorUrl, CHANCERY_OPERATOR_TOKEN: operatorToken },
  })
  const startedMs = performance.now()
  const [report] = await Promise.all([text(child.stdout), pipeline(Readable.from(lines), child.stdin)])
  const seconds = (performance.now() - startedMs) / 1_000
  const { facts, refused } = JSON.parse(report) as { facts: number; refused: unknown[] }
  if (refused.length > 0) throw new Error(`facts were rejected: ${JSON.stringify(refused[0])}`)
  return { facts, seconds }
}

function* historyLines(options: WorldOptions): Generator<string> {
  for (const batch of simulateHistory(options)) yield linesOf(batch)
}

/** Loads a simulated world, and waits for its ranking round. */
export async function loadWorld(service: Service, options: WorldOptions & { days: number }): Promise<void> {
  console.error(`Loading a world of ${options.nations} nations and ${options.days} days`)
  await ingestFacts(service, historyLines(options))
  await untilRanked(service)
}

/** Lists show what the last ranking round has seen. */
export async function untilRanked(service: Service): Promise<void> {
  type Status = { ranking_lag_versions: number }
  while ((await service.operate<Status>('GET', '/status')).ranking_lag_versions > 0) await sleep(200)
}

/** What there is to query, in an order unrelated to storage. */
export interface Subjects {
  counts: { nations: number; wars: number; events: number }
  nations: string[]
  /** Nations with an active war. */
  atWar: string[]
  /** First letters of names, in lower case. */
  names: string[]
  /** Event types with several pages. */
  eventTypes: string[]
  /** Players with a nation each. */
  players: string[]
}

export async function findSubjects({ db }: Postgres): Promise<Subjects> {
  const column = async (statement: string) =>
    (await db.query<{ value: string }>(statement)).rows.map(({ value }) => value)
  const { rows } = await db.query<Subjects['counts']>(`
    select (select count(*) from chancery_world.nation)::int as nations, (select count(*) from chancery_world.war)::int as wars,
      (select count(*) from chancery_world.event)::int as events`)
  const [counts] = rows
  if (!counts || counts.nations === 0) throw new Error('the world is empty')
  return {
    counts,
    players: await column(
      'select distinct player as value from chancery_secret.nation_private where player is not null order by value limit 64',
    ),
    nations: await column('select id as value from chancery_world.nation order by md5(id) limit 10000'),
    atWar: await column(
      'select id as value from chancery_world.nation where active_offensive + active_defensive > 0 order by md5(id)',
    ),
    names: await column(`
      select distinct on (md5(value)) value from (select left(lower(nation_name), 5) as value from chancery_world.nation) found
      where value ~ '^[a-z]{5}$' order by md5(value)`),
    eventTypes: await column(
      'select type as value from chancery_world.event group by type having count(*) > 1000 order by type',
    ),
  }
}

/** A key of each player with every scope and an unreachable limit. */
export async function createKeys(service: Service, players: readonly string[]): Promise<string[]> {
  const keys: string[] = []
  for (const player_id of players) {
    const body = { player_id, name: 'bench', scopes: Object.keys(scopes) }
    const { id, key } = await service.operate<{ id: string; key: string }>('POST', '/keys', body)
    await service.operate('PUT', `/keys/${id}/limit`, { limit: unreachableLimit, note: 'bench' })
    keys.push(key)
  }
  return keys
}

export const put = (resource: string, data: object): object => ({ op: 'put', resource, data })

/** Nations with names and scores, as facts. */
export const nationFacts = (ids: readonly string[]): object[] =>
  ids.map((id, index) =>
    put('nation', { id, nation_name: `Nation ${id}`, leader_name: 'Leader', national_score: index }),
  )

const nationsPerChange = 20
let changes = 0

/** Runs `work` while a batch changes the scores of 20 nations every second, which evicts cached responses and causes ranking rounds. */
export async function whileChanging<T>(
  service: Service,
  nationIds: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const done = new AbortController()
  const changing = (async () => {
    while (!done.signal.aborted) {
      changes += 1
      const facts = Array.from({ length: nationsPerChange }, (_, index) =>
        put('nation', {
          id: nationIds[(changes * nationsPerChange + index) % nationIds.length],
          national_score: 100 + ((changes * 37 + index * 11) % 900),
        }),
      )
      await service.ingest(`change-${changes}`, facts)
      await sleep(1_000, undefined, { signal: done.signal }).catch(() => undefined)
    }
  })()
  try {
    return await work()
  } finally {
    done.abort()
    await changing
  }
}
