import type { Batch, NationWarCounts, WarCounts } from '../../ingest/batch.ts'
import { type Database, type Sql, sql } from '../../store/database.ts'
import { snapshotCounters } from '../conflicts/counters.ts'
import type { StoredSide, StoredWar } from './store.ts'

/** On whose side a nation takes part in the war `w` besides its two sides: at the time of the battle `b`, else at any. */
const sideOfParticipant = (nationId: Sql) => sql`(
  select p.side from chancery_world.war_participant p where p.war_id = w.id and p.nation_id = ${nationId}
  order by (b.fought_at between coalesce(p.joined_at, '-infinity') and coalesce(p.left_at, 'infinity')) desc, p.number limit 1)`

/**
 * Adds up the losses and victories of wars whose battles changed. A battle's attacker may be the war's defender, or an ally: the first
 * that is known of these decides on whose side it fought: attacker or defender of the war, participants, else the battle's attacker.
 */
export async function recountBattles(batch: Batch): Promise<void> {
  const { db, pending } = batch
  if (pending.warsWithChangedBattles.size === 0) return
  await snapshotCounters(batch, pending.warsWithChangedBattles)
  await db.rows(sql`
    with dirty as (
      select w.id, w.attacker_nation_id, b.id as battle_id, b.victor, b.losses,
        coalesce(
          case b.attacker_nation_id when w.attacker_nation_id then true when w.defender_nation_id then false end,
          case b.defender_nation_id when w.defender_nation_id then true when w.attacker_nation_id then false end,
          ${sideOfParticipant(sql`b.attacker_nation_id`)} = 'attacker',
          ${sideOfParticipant(sql`b.defender_nation_id`)} = 'defender',
          true
        ) as same_direction
      from chancery_world.war w
      -- Each war's own battles by their index: as a plain join it may read all battles there are. That is what the offset is for.
      left join lateral (select * from chancery_world.battle f where f.war_id = w.id offset 0) b on true
      where w.id = any(${[...pending.warsWithChangedBattles]})
    ), victories as (
      select id, count(battle_id) as battles,
        count(*) filter (where victor = case when same_direction then 'attacker' else 'defender' end) as attacker_won,
        count(*) filter (where victor = case when same_direction then 'defender' else 'attacker' end) as defender_won
      from dirty group by id
    ), lost as (
      select t.id, (side = 'attacker') = same_direction as by_attacker, unit, sum(lost::bigint) as lost
      from dirty t, json_each(t.losses::json) as sides (side, units), json_each_text(units) as unit_losses (unit, lost)
      group by 1, 2, 3
    ), summed as (
      select id,
        coalesce(jsonb_object_agg(unit, lost order by unit) filter (where by_attacker), '{}') as attacker_losses,
        coalesce(jsonb_object_agg(unit, lost order by unit) filter (where not by_attacker), '{}') as defender_losses
      from lost group by id
    )
    update chancery_world.war w set
      battles_count = v.battles,
      attacker_battles_won = v.attacker_won,
      defender_battles_won = v.defender_won,
      attacker_losses = coalesce(s.attacker_losses, '{}'),
      defender_losses = coalesce(s.defender_losses, '{}')
    from victories v left join summed s using (id)
    where w.id = v.id`)
}

/** Adds a war to the counters of its nations, or subtracts it. A nation that fights itself is the attacker. */
export function addWarOfNations(
  { pending }: Batch,
  { attacker, defender, status, outcome }: StoredWar,
  step: 1 | -1,
): void {
  const add = (id: string, key: keyof NationWarCounts) => {
    const counts = pending.nationWarDeltas.get(id) ?? { offensive: 0, defensive: 0, won: 0, lost: 0 }
    pending.nationWarDeltas.set(id, counts)
    counts[key] += step
  }
  const isAttackerVictory = outcome === 'attacker_victory'
  const isDecided = status === 'ended' && (isAttackerVictory || outcome === 'defender_victory')
  if (status === 'active') add(attacker.nation_id, 'offensive')
  if (isDecided) add(attacker.nation_id, isAttackerVictory ? 'won' : 'lost')
  if (defender.nation_id === attacker.nation_id) return
  if (status === 'active') add(defender.nation_id, 'defensive')
  if (isDecided) add(defender.nation_id, isAttackerVictory ? 'lost' : 'won')
}

/** The same for its alliances. A war inside one alliance counts once as active. */
export function addWarOfAlliances(
  { pending }: Batch,
  { attacker, defender, status, outcome }: StoredWar,
  step: 1 | -1,
): void {
  for (const id of new Set([attacker.alliance_id, defender.alliance_id])) {
    if (id === null) continue
    const counts = pending.allianceWarDeltas.get(id) ?? { active: 0, won: 0, lost: 0 }
    pending.allianceWarDeltas.set(id, counts)
    if (status === 'active') counts.active += step
    if (status !== 'ended') continue
    const ended = (side: StoredSide, victory: string) => side.alliance_id === id && outcome === victory
    if (ended(attacker, 'attacker_victory') || ended(defender, 'defender_victory')) counts.won += step
    if (ended(attacker, 'defender_victory') || ended(defender, 'attacker_victory')) counts.lost += step
  }
}

/** Adds the differences of the batch to the counters of nations. */
export async function addWarsOfNations({ db, pending }: Batch): Promise<void> {
  const changed = [...pending.nationWarDeltas].filter(
    ([id, counts]) => isDifferent(counts) && !pending.recreatedNations.has(id),
  )
  if (changed.length === 0) return
  const numbers = (key: keyof NationWarCounts) => changed.map(([, counts]) => counts[key])
  await db.rows(sql`
    update chancery_world.nation n
    set active_offensive = n.active_offensive + d.offensive, active_defensive = n.active_defensive + d.defensive,
      wars_won = n.wars_won + d.won, wars_lost = n.wars_lost + d.lost
    from unnest(${changed.map(([id]) => id)}::text[], ${numbers('offensive')}::bigint[], ${numbers('defensive')}::bigint[],
      ${numbers('won')}::bigint[], ${numbers('lost')}::bigint[]) as d (id, offensive, defensive, won, lost)
    where n.id = d.id`)
}

const isDifferent = (counts: NationWarCounts | WarCounts) =>
  Object.values(counts).some(number => number !== 0)

/** Counts the wars of nations that were deleted and put again. */
export async function recountWarsOfNations({ db, pending }: Batch): Promise<void> {
  if (pending.recreatedNations.size === 0) return
  await db.rows(sql`
    with sides as (
      select t.id, w.status, w.outcome, w.attacker_nation_id = t.id as attacks
      from unnest(${[...pending.recreatedNations]}::text[]) as t (id)
      left join chancery_world.war w on w.attacker_nation_id = t.id or w.defender_nation_id = t.id
    ), counted as (
      select id,
        count(*) filter (where status = 'active' and attacks) as offensive,
        count(*) filter (where status = 'active' and not attacks) as defensive,
        count(*) filter (where status = 'ended' and outcome = case when attacks then 'attacker_victory' else 'defender_victory' end) as won,
        count(*) filter (where status = 'ended' and outcome = case when attacks then 'defender_victory' else 'attacker_victory' end) as lost
      from sides group by id
    )
    update chancery_world.nation n
    set active_offensive = c.offensive, active_defensive = c.defensive, wars_won = c.won, wars_lost = c.lost
    from counted c where n.id = c.id
      and (n.active_offensive, n.active_defensive, n.wars_won, n.wars_lost) is distinct from (c.offensive, c.defensive, c.won, c.lost)`)
}

/** Adds the differences of the batch to the counters of alliances: a large alliance costs no more than a small one. */
export async function addWarsOfAlliances({ db, pending }: Batch): Promise<void> {
  const changed = [...pending.allianceWarDeltas].filter(
    ([id, counts]) => isDifferent(counts) && !pending.recreatedAlliances.has(id),
  )
  if (changed.length === 0) return
  const numbers = (key: keyof WarCounts) => changed.map(([, counts]) => counts[key])
  await db.rows(sql`
    update chancery_world.alliance a
    set wars_active = a.wars_active + d.active, wars_won = a.wars_won + d.won, wars_lost = a.wars_lost + d.lost
    from unnest(${changed.map(([id]) => id)}::text[], ${numbers('active')}::bigint[], ${numbers('won')}::bigint[],
      ${numbers('lost')}::bigint[]) as d (id, active, won, lost)
    where a.id = d.id`)
}

/** Counts the wars of alliances that were deleted and put again, by the alliances of the declaration. A war inside one counts once as active. */
export async function recountWarsOfAlliances({ db, pending }: Batch): Promise<void> {
  if (pending.recreatedAlliances.size === 0) return
  await db.rows(sql`
    with counted as (
      select t.id,
        count(*) filter (where w.status = 'active') as active,
        count(*) filter (where w.status = 'ended' and ((w.outcome = 'attacker_victory' and w.attacker_alliance_id = t.id)
          or (w.outcome = 'defender_victory' and w.defender_alliance_id = t.id))) as won,
        count(*) filter (where w.status = 'ended' and ((w.outcome = 'defender_victory' and w.attacker_alliance_id = t.id)
          or (w.outcome = 'attacker_victory' and w.defender_alliance_id = t.id))) as lost
      from unnest(${[...pending.recreatedAlliances]}::text[]) as t (id)
      left join chancery_world.war w on w.attacker_alliance_id = t.id or w.defender_alliance_id = t.id
      group by t.id
    )
    update chancery_world.alliance a set wars_active = c.active, wars_won = c.won, wars_lost = c.lost
    from counted c where a.id = c.id
      and (a.wars_active, a.wars_won, a.wars_lost) is distinct from (c.active, c.won, c.lost)`)
}

/** The members of a war that its counters use. */
interface CountedWar {
  status: string
  attacker: { alliance_id: string | null }
  defender: { alliance_id: string | null }
}

interface Cell {
  /** Empty: wars of all. */
  alliance_id: string
  /** Empty: wars against all. Of two alliances, the one with the greater id. */
  other_id: string
  status: string
  wars: number
}

/** Updates the numbers of wars by status: in all, of each alliance, and between each two. A war inside one alliance counts once. */
export async function countWars(
  db: Database,
  changes: { before: CountedWar | undefined; after: CountedWar | undefined }[],
): Promise<void> {
  const cells = new Map<string, Cell>()
  const add = (war: CountedWar | undefined, step: 1 | -1) => {
    if (!war) return
    for (const [alliance_id, other_id] of pairsOf(war)) {
      const key = `${alliance_id} ${other_id} ${war.status}`
      const cell = cells.get(key) ?? { alliance_id, other_id, status: war.status, wars: 0 }
      cell.wars += step
      cells.set(key, cell)
    }
  }
  for (const { before, after } of changes) {
    add(before, -1)
    add(after, 1)
  }
  const changed = [...cells.values()].filter(({ wars }) => wars !== 0)
  if (changed.length === 0) return
  const columnOf = (column: keyof Cell) => changed.map(cell => cell[column])
  await db.rows(sql`
    insert into chancery_world.alliance_war_count as c (alliance_id, other_id, status, wars)
    select * from unnest(${columnOf('alliance_id')}::text[], ${columnOf('other_id')}::text[], ${columnOf('status')}::text[],
      ${columnOf('wars')}::bigint[])
    on conflict (alliance_id, other_id, status) do update set wars = c.wars + excluded.wars`)
}

function pairsOf({ attacker, defender }: CountedWar): [string, string][] {
  const ids = [...new Set([attacker.alliance_id, defender.alliance_id])].filter(id => id !== null).toSorted()
  const [first, second] = ids
  return [
    ['', ''],
    ...ids.map((id): [string, string] => [id, '']),
    ...(first !== undefined && second !== undefined ? [[first, second] as [string, string]] : []),
  ]
}

/** Moves the numbers of active wars to those of ended ones. */
export async function countAllEnded(db: Database): Promise<void> {
  await db.rows(sql`
    with ended as (delete from chancery_world.alliance_war_count where status = 'active' returning alliance_id, other_id, wars)
    insert into chancery_world.alliance_war_count as c (alliance_id, other_id, status, wars)
    select alliance_id, other_id, 'ended', wars from ended
    on conflict (alliance_id, other_id, status) do update set wars = c.wars + excluded.wars`)
}
