import type { PublicOf, ReadableOf, ResourceOf } from '@chancery/contract'
import { askTogether } from '../../store/ask-together.ts'
import { sql } from '../../store/database.ts'
import { pageUrl } from '../../store/page-url.ts'
import type { ReadContext } from '../../store/read-context.ts'

export type Nation = PublicOf<ResourceOf<'nation'>>
export type OwnNation = ReadableOf<ResourceOf<'nation'>>

interface MembershipRow {
  alliance_id: string | null
  member_rank: string
  alliance_name: string
  alliance_tag: string
}

export interface NationRow extends Omit<Nation, 'alliance' | 'wars' | 'url'>, MembershipRow {
  active_offensive: number
  active_defensive: number
  wars_won: number
  wars_lost: number
}

export const columns = sql`
  n.id, n.nation_name, n.leader_name, n.national_score, p.rank, n.status, n.government, n.continent, n.color, n.flag_url,
  n.motto, n.founded_at, n.city_count, n.land_area, n.updated_at, n.attributes,
  n.active_offensive, n.active_defensive, n.wars_won, n.wars_lost,
  m.alliance_id, m.rank as member_rank, a.name as alliance_name, a.tag as alliance_tag`

const joins = sql`
  left join chancery_world.nation_place p on p.nation_id = n.id
  left join chancery_world.alliance_member m on m.nation_id = n.id
  left join chancery_world.alliance a on a.id = m.alliance_id`

/** The one shape of membership. */
export const membershipOf = ({ alliance_id, member_rank, alliance_name, alliance_tag }: MembershipRow) =>
  alliance_id === null
    ? null
    : { alliance_id, rank: member_rank, alliances: { name: alliance_name, tag: alliance_tag } }

export function nationOf({ contract }: ReadContext, row: NationRow): Nation {
  const { active_offensive, active_defensive, wars_won, wars_lost, ...rest } = row
  return {
    ...rest,
    alliance: membershipOf(row),
    wars: { active_offensive, active_defensive, won: wars_won, lost: wars_lost },
    url: pageUrl(contract.profile.pages.nation, row.id),
  }
}

/** Finds a nation by its id. */
export const createFindNation = (context: ReadContext) =>
  askTogether(async ids => {
    const rows = await context.pools.things.rows<NationRow>(
      sql`select ${columns} from chancery_world.nation n ${joins} where n.id = any(${ids})`,
    )
    return new Map(rows.map(row => [row.id, nationOf(context, row)]))
  })

type OwnNationRow = NationRow &
  Pick<OwnNation, 'military' | 'economy' | 'production' | 'assignments'> & { private_attributes: object }

/** Finds the nation that a player leads now, with everything that its owner might read. */
export const createFindNationOfPlayer = (context: ReadContext) =>
  askTogether(async playerIds => {
    const rows = await context.pools.owner.rows<OwnNationRow & { player: string }>(sql`
      select distinct on (s.player) s.player,
        ${columns}, s.military, s.economy, s.production, s.assignments, s.attributes as private_attributes
      from chancery_secret.nation_private s join chancery_world.nation n on n.id = s.nation_id ${joins}
      where s.player = any(${playerIds}) order by s.player, n.id`)
    return new Map(rows.map(({ player, ...row }) => [player, ownNationOf(context, row)]))
  })

function ownNationOf(context: ReadContext, row: OwnNationRow): OwnNation {
  const { military, economy, production, assignments, attributes, private_attributes } = row
  return {
    ...nationOf(context, row),
    military,
    economy,
    production,
    assignments,
    attributes: { ...attributes, ...private_attributes },
  }
}

/** Which nation a player leads now; undefined for none. */
export async function findNationReferenceOfPlayer(
  { pools }: Pick<ReadContext, 'pools'>,
  playerId: string,
): Promise<{ id: string; nation_name: string } | undefined> {
  return pools.owner.first(sql`
    select n.id, n.nation_name from chancery_secret.nation_private s join chancery_world.nation n on n.id = s.nation_id
    where s.player = ${playerId} order by n.id limit 1`)
}

/** The player who leads a nation; null where the game named none, undefined for an unknown nation. */
export async function findPlayerOfNation(
  { pools }: Pick<ReadContext, 'pools'>,
  nationId: string,
): Promise<string | null | undefined> {
  const row = await pools.owner.first<{ player: string | null }>(sql`
    select s.player from chancery_world.nation n left join chancery_secret.nation_private s on s.nation_id = n.id
    where n.id = ${nationId}`)
  return row?.player
}
