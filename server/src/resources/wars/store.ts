import { type Contract, operations, type PublicOf, type ResourceOf, type ValuesFor } from '@chancery/contract'
import { createBatchLoader } from '../../store/batch-loader.ts'
import { join, raw, type Sql, sql } from '../../store/database.ts'
import { comparisons } from '../../store/derived-lists.ts'
import { gamePageUrl, memoizeByContract, publicColumns, type ReadContext } from '../../store/fact-columns.ts'
import {
  allOf,
  type Listing,
  offsetOf,
  type Page,
  type PageRequest,
  readPage,
  readSlice,
  smallResultMax,
} from '../../store/paging.ts'

export type War = PublicOf<ResourceOf<'war'>>

/** A war as its facts make it, without what is counted. */
export type StoredWar = Omit<War, 'battles_count' | 'losses' | 'url'>
export type StoredSide = StoredWar['attacker']
export type StoredParticipant = StoredWar['participants'][number]

export const sides = ['attacker', 'defender'] as const
type Side = (typeof sides)[number]

/** The members of a side. Each has a column of its own: `attacker_nation_id`. */
export const sideMembers = ({ resources }: Contract, side: Side): string[] =>
  Object.keys(resources.war.fields[side]['x-input'].properties)

/** A side of the war `w` as one value. */
export const sideObject = (contract: Contract, side: Side): Sql =>
  raw(
    `json_build_object(${sideMembers(contract, side).map(member => `'${member}', w.${side}_${member}`)}) as ${side}`,
  )

interface WarRow extends Omit<War, 'losses' | 'url'> {
  attacker_losses: Record<string, number>
  defender_losses: Record<string, number>
}

const stored = publicColumns('war', 'w', sides)
const columnsOf = memoizeByContract(contract => {
  const objects = join(sides.map(side => sideObject(contract, side)))
  return sql`${stored({ contract })}, ${objects}, w.battles_count, w.attacker_losses, w.defender_losses`
})

function warOf({ contract }: ReadContext, row: WarRow): War {
  return {
    ...row,
    losses: { attacker: row.attacker_losses, defender: row.defender_losses },
    url: gamePageUrl(contract.profile.pages.war, row.id),
  }
}

/** Finds a war by its id. */
export const createFindWar = (context: ReadContext) =>
  createBatchLoader(async ids => {
    const rows = await context.pools.lookups.rows<WarRow>(
      sql`select ${columnsOf(context)} from chancery_world.war w where w.id = any(${ids})`,
    )
    return new Map(rows.map(row => [row.id, warOf(context, row)]))
  })

export async function warExists({ pools }: ReadContext, id: string): Promise<boolean> {
  return (await pools.public.first(sql`select from chancery_world.war where id = ${id}`)) !== undefined
}

/** As an array the ids of their wars are a condition on the primary key, which is combined with the other two; `in` would scan all wars. */
const isOfNation = (
  isOneOf: Sql,
) => sql`(w.attacker_nation_id ${isOneOf} or w.defender_nation_id ${isOneOf} or w.id = any(array(
  select p.war_id from chancery_world.war_participant p where p.nation_id ${isOneOf})))`

type Filter = Partial<ValuesFor<typeof operations.warsList>> & PageRequest

export function createListWars(context: ReadContext): (filter: Filter) => Promise<Page<War>> {
  const listOfNation = createListOfNation(context)
  return async filter => {
    const nationId = onlyNationOf(filter)
    const ofNation = nationId === undefined ? undefined : await listOfNation(nationId, filter)
    const page = ofNation ?? (await readWars(context, filter))
    return { ...page, items: page.items.map(row => warOf(context, row)) }
  }
}

/** So many pages are read at once. */
const pagesMax = 32
/** A nation with more wars is listed by itself, so that it does not delay the others. Not a parameter: the planner would expect fewer. */
const warsOfNationMax = 2_000
/** Beyond the wars of any nation, and within an integer of PostgreSQL. */
const skippedMax = 1_000_000_000

/**
 * Lists the wars of one nation, perhaps of a status: what bots request most. Pages that are requested at the same time are read by one
 * statement. Undefined for a nation with more than `warsOfNationMax`.
 */
function createListOfNation(context: ReadContext) {
  type Request = [nationId: string, status: string | null, skipped: number, limit: number]
  type Row = { request: number; total: number } & (WarRow | { id: null })
  const load = createBatchLoader(async keys => {
    const requests = keys.map(key => JSON.parse(key) as Request)
    const all = <T>(member: number) => requests.map(request => request[member] as T)
    const rows = await context.pools.lookups.rows<Row>(sql`
      with request as materialized (
        select * from unnest(${all<string>(0)}::text[], ${all<string | null>(1)}::text[], ${all<number>(2)}::integer[], ${all<number>(3)}::integer[])
          with ordinality as r (nation_id, status, skipped, size, number)
      ), found as materialized (
        select r.nation_id, r.status, array(
          select war.id from (
            select w.id, w.declared_at from chancery_world.war w
            where ${isOfNation(sql`= r.nation_id`)} and (r.status is null or w.status = r.status) limit ${raw(`${warsOfNationMax + 1}`)}
          ) war order by war.declared_at desc, war.id
        ) as ids
        from (select distinct nation_id, status from request) r
      )
      select r.number as request, cardinality(found.ids) as total, ${columnsOf(context)}
      from request r join found on found.nation_id = r.nation_id and found.status is not distinct from r.status
      left join lateral unnest(found.ids[r.skipped + 1 : r.skipped + r.size]) with ordinality as p (id, place) on true
      left join chancery_world.war w on w.id = p.id
      order by r.number, p.place`)
    const pages = new Map<string, Page<WarRow>>()
    for (const { request, total, ...row } of rows) {
      const key = keys[request - 1] ?? ''
      const page = pages.get(key) ?? { items: [], total }
      if (row.id !== null) page.items.push(row)
      pages.set(key, page)
    }
    return pages
  }, pagesMax)
  return async (
    nationId: string,
    { status, ...page }: Pick<Filter, 'status'> & PageRequest,
  ): Promise<Page<WarRow> | undefined> => {
    const request: Request = [nationId, status ?? null, Math.min(offsetOf(page), skippedMax), page.limit]
    const found = await load(JSON.stringify(request))
    return found && found.total <= warsOfNationMax ? found : undefined
  }
}

/** The nation of a filter that names one, and no other filters but a status. */
function onlyNationOf({
  nation_id: [id, ...ids] = [],
  status,
  page,
  limit,
  ...others
}: Filter): string | undefined {
  return ids.length === 0 && Object.values(others).every(value => value === undefined) ? id : undefined
}

async function readWars(context: ReadContext, filter: Filter): Promise<Page<WarRow>> {
  const db = context.pools.public
  const { page: _page, limit, status, alliance_id, ...others } = filter
  if (Object.values(others).some(value => value !== undefined))
    return readPage(db, filter, warsWhere(context, filter))
  const counted = await db.first<{ total: number }>(totalOfWars({ status, alliance_id }))
  const total = counted?.total ?? 0
  const listing = warsWhere(context, filter, { scanInOrder: total > smallResultMax })
  return { items: await readSlice(db, listing, { offset: offsetOf(filter), limit, total }), total }
}

/**
 * The list query of a filter. `scanInOrder`: wars are read in their order, and their alliances are looked up in a table of the wanted ones;
 * an index would read all wars of many alliances first.
 */
function warsWhere(context: ReadContext, filter: Filter, { scanInOrder = false } = {}): Listing {
  const { nation_id, alliance_id } = filter
  const isOf = (column: Sql, values: string[]) =>
    scanInOrder
      ? sql`(${column} in (select unnest(${values}::text[]))) is true`
      : sql`${column} = any(${values})`
  const where = allOf([
    ...comparisons(operations.warsList, filter, field => `w.${field}`),
    nation_id && isOfNation(sql`= any(${nation_id})`),
    alliance_id &&
      sql`(${isOf(sql`w.attacker_alliance_id`, alliance_id)} or ${isOf(sql`w.defender_alliance_id`, alliance_id)})`,
  ])
  return {
    columns: columnsOf(context),
    from: sql`chancery_world.war w where ${where}`,
    order: sql`w.declared_at desc, w.id`,
    reversed: sql`w.declared_at, w.id desc`,
    deferredJoin: {
      alias: sql`w`,
      columns: sql`w.declared_at, w.id`,
      joins: sql`join chancery_world.war w on w.id = chosen.id`,
    },
  }
}

/** The number of wars of a status and some alliances, as `total`. Wars between two of them are in both counts and subtracted once. */
function totalOfWars({ status, alliance_id }: { status?: string; alliance_id?: string[] }): Sql {
  const ofStatus = status === undefined ? sql`true` : sql`status = ${status}`
  if (!alliance_id)
    return sql`
      select coalesce(sum(wars), 0) as total from chancery_world.alliance_war_count
      where alliance_id = '' and other_id = '' and ${ofStatus}`
  return sql`
    select coalesce(sum(case when other_id = '' then wars else -wars end), 0) as total from chancery_world.alliance_war_count
    where alliance_id = any(${alliance_id}) and other_id = any(${['', ...alliance_id]}) and ${ofStatus}`
}
