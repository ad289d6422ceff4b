import { type FactResource, limits } from '@chancery/contract'
import { type Batch, BatchRejectedError, type Change, type Reset, reject } from '../../ingest/batch.ts'
import { factTable } from '../../ingest/entity-store.ts'
import { raw, sql } from '../../store/database.ts'
import { closeAllHistory } from '../history/numbers.ts'
import { logAllNationsChanged } from '../nations/ranking-index.ts'
import { countAllEnded } from '../wars/counters.ts'
import { applyEras, type ResetCounts } from './apply.ts'

/** The resources that a reset deletes, or ends, as it does treaties. The others are history. */
export const retiredResources = [
  'nation',
  'alliance',
  'alliance_member',
  'alliance_application',
  'treaty',
  'market_price',
] as const satisfies FactResource[]

/** Every table with their rows or counters, besides those of nations and alliances, which leave tombstones, and that of treaties. */
const retiredTables = [
  ...retiredResources
    .filter(name => !['nation', 'alliance', 'treaty'].includes(name))
    .map(name => factTable(name).table),
  'chancery_secret.nation_private',
  'chancery_secret.alliance_private',
  'chancery_secret.member_private',
  'chancery_world.nation_ranking',
  'chancery_world.nation_ranking_dirty',
  'chancery_world.alliance_ranking',
  'chancery_world.nation_attribute_ranking',
  'chancery_world.nation_attribute_ranking_gap',
  'chancery_world.alliance_attribute_ranking',
  'chancery_world.nation_rank_previous_day',
  'chancery_world.alliance_rank_previous_day',
  'chancery_world.market_price_history',
]

/**
 * Ends an era and empties the world, by sets: one event instead of one for each deleted entity. Returns the resources that it emptied.
 * @throws {BatchRejectedError} where the era cannot end this way.
 */
export async function resetWorld(batch: Batch, reset: Reset): Promise<readonly FactResource[]> {
  await checkEras(batch, reset)
  await checkEnd(batch, reset)
  const at = endOf(reset) ?? batch.loggedAt
  await logAllNationsChanged(batch.db)
  const counts = {
    nations: await retire(batch, reset, { resource: 'nation', name: 'nation_name' }),
    alliances: await retire(batch, reset, { resource: 'alliance', name: 'name' }),
  }
  for (const ranked of ['nation', 'alliance'] as const) await closeAllHistory(batch.db, ranked)
  for (const table of retiredTables) await batch.db.rows(sql`${raw(`delete from ${table}`)}`)
  await batch.db.rows(sql`update chancery_world.ranking_round set nations = 0, alliances = 0`)
  await endAll(batch, at)
  await applyEraChanges(batch, reset, at, counts)
  await batch.db.rows(sql`
    insert into chancery_world.era_reset (era_id, at, logged_at) values (${idOf(reset.ended)}, ${at}, ${batch.loggedAt})`)
  batch.markWorldChanged()
  return retiredResources
}

const idOf = (era: Record<string, unknown>) => String(era.id)

/** When the era ends in the game, where the fact gives a time. */
const endOf = ({ ended, at }: Reset): string | undefined =>
  typeof ended.ended_at === 'string' ? ended.ended_at : at

async function checkEras({ db }: Batch, { line, ended, next }: Reset): Promise<void> {
  const id = idOf(ended)
  const known = await db.first<{ status: string }>(
    sql`select status from chancery_world.era where id = ${id}`,
  )
  const done = await db.first(sql`select from chancery_world.era_reset where era_id = ${id}`)
  if (done) reject(line, '/ended/id', `era ${id} was already ended by a reset: name the active era`)
  if (known && known.status !== 'active') {
    const state = known.status === 'ended' ? 'has ended' : 'has not begun'
    reject(
      line,
      '/ended/id',
      `era ${id} ${state}: a reset ends the active era; put it as active first, or name another`,
    )
  }
  if (ended.status !== undefined && ended.status !== 'ended')
    reject(line, '/ended/status', 'omit status: a reset sets it to ended')
  if (!next) return
  const nextId = idOf(next)
  if (nextId === id) reject(line, '/next/id', 'must differ from /ended/id')
  if (next.status !== undefined && next.status !== 'active')
    reject(line, '/next/status', 'omit status: a reset sets it to active')
  const nextKnown = await db.first<{ status: string }>(
    sql`select status from chancery_world.era where id = ${nextId}`,
  )
  if (nextKnown?.status === 'ended') reject(line, '/next/id', `era ${nextId} has already ended: use a new id`)
}

/** The end of an era separates history from the current world: a wrong one could not be corrected. */
async function checkEnd({ db, loggedAt }: Batch, reset: Reset): Promise<void> {
  const end = endOf(reset)
  if (end === undefined) return
  const { line, ended } = reset
  const path = ended.ended_at === end ? '/ended/ended_at' : '/at'
  const known = await db.first<{ start: string | null; last: string | null }>(sql`
    select (select started_at from chancery_world.era where id = ${idOf(ended)}) as start,
      (select max(at) from chancery_world.era_reset) as last`)
  if (Date.parse(end) > Date.parse(loggedAt) + limits.resetAheadSeconds * 1000)
    reject(
      line,
      path,
      `must be at most five minutes in the future (now: ${loggedAt}): send the reset when the era ends`,
    )
  const isBefore = (time: string | null | undefined) => time && Date.parse(end) < Date.parse(time)
  if (isBefore(known?.start))
    reject(line, path, `must not be before the start of era ${idOf(ended)} (${known?.start})`)
  if (isBefore(known?.last)) reject(line, path, `must not be before the previous reset (${known?.last})`)
}

/** Replaces all entities of a resource by tombstones, and marks all tombstones as retired: their ids cannot be used again. */
async function retire(
  { db, loggedAt }: Batch,
  { ended }: Reset,
  { resource, name }: { resource: string; name: string },
): Promise<number> {
  const era = idOf(ended)
  await db.rows(sql`
    update chancery_world.tombstone set retired_with = ${era} where resource = ${resource} and retired_with is null`)
  const row = await db.first<{ count: number }>(sql`
    with gone as (${raw(`delete from chancery_world.${resource} returning id, ${name} as name`)}), tombstones as (
      insert into chancery_world.tombstone (resource, id, name, deleted_at, retired_with)
      select ${resource}, id, name, ${loggedAt}, ${era} from gone
      on conflict (resource, id) do update set name = excluded.name, deleted_at = excluded.deleted_at,
        retired_with = excluded.retired_with
    )
    select count(*) as count from gone`)
  return row?.count ?? 0
}

/** Active wars and conflicts end without outcome. Treaties end, and their ids may be used again. */
async function endAll({ db, loggedAt }: Batch, at: string): Promise<void> {
  await db.rows(sql`
    update chancery_world.war set status = 'ended', ended_at = greatest(declared_at, ${at}), outcome = null, game_outcome = null,
      updated_at = ${loggedAt}
    where status = 'active'`)
  await countAllEnded(db)
  await db.rows(sql`
    update chancery_world.conflict set status = 'ended', ended_at = greatest(started_at, ${at}) where status = 'active'`)
  await db.rows(sql`update chancery_world.conflict set wars_active = 0 where wars_active > 0`)
  await db.rows(sql`
    update chancery_world.treaty set ended_at = greatest(signed_at, ${at}), status = 'ended' where status = 'active'`)
  await db.rows(sql`update chancery_world.treaty set is_past = true where not is_past`)
}

async function applyEraChanges(
  batch: Batch,
  { line, ended, next }: Reset,
  at: string,
  counts: ResetCounts,
): Promise<void> {
  const put = (data: Record<string, unknown>): Change => ({ line, op: 'put', key: idOf(data), data, at })
  await withPath('/ended', batch, ofEnded =>
    applyEras(ofEnded, [put({ ...ended, status: 'ended', ended_at: at })], { [idOf(ended)]: counts }),
  )
  if (!next) return
  await withPath('/next', batch, ofNext =>
    applyEras(ofNext, [put({ ...next, status: 'active', started_at: next.started_at ?? at })]),
  )
}

/** Rejections name the place in the reset (`/ended`, `/next`) instead of `/data` of an era's own fact. */
async function withPath(place: string, batch: Batch, work: (batch: Batch) => Promise<void>): Promise<void> {
  const moved = (path: string) => path.replace(/^\/data/, place)
  try {
    await work({
      ...batch,
      requireKnown: (resource, id, line, path) => batch.requireKnown(resource, id, line, moved(path)),
    })
  } catch (error) {
    if (!(error instanceof BatchRejectedError)) throw error
    throw new BatchRejectedError(
      error.rejections.map(rejection => ({ ...rejection, path: moved(rejection.path) })),
    )
  }
}
