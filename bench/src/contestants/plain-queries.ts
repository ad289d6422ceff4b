/** A statement with a name, which each connection plans once. */
export interface Query {
  name: string
  text: string
}

const nationColumns = `
  n.id, n.nation_name, n.leader_name, n.national_score, p.rank, n.status, n.government, n.continent, n.color, n.flag_url,
  n.motto, n.founded_at, n.city_count, n.land_area, n.updated_at, n.attributes,
  n.active_offensive, n.active_defensive, n.wars_won, n.wars_lost,
  m.alliance_id, m.rank as member_rank, a.name as alliance_name, a.tag as alliance_tag`
const nationTables = `
  chancery_world.nation n
  left join chancery_world.nation_place p on p.nation_id = n.id
  left join chancery_world.alliance_member m on m.nation_id = n.id
  left join chancery_world.alliance a on a.id = m.alliance_id`
const warColumns = `
  id, type, status, reason, attacker_nation_id, attacker_nation_name, attacker_alliance_id, attacker_alliance_name,
  defender_nation_id, defender_nation_name, defender_alliance_id, defender_alliance_name, declared_at, ended_at, outcome,
  battles_count, attacker_losses, defender_losses, conflict_id, era_id, updated_at`
const warsOf = `chancery_world.war where status = $1 and (attacker_nation_id = $2 or defender_nation_id = $2)`

export const oneNation = {
  name: 'one-nation',
  text: `select ${nationColumns} from ${nationTables} where n.id = $1`,
}
export const countNations = {
  name: 'count-nations',
  text: 'select count(*) as total from chancery_world.nation_place',
}
/** From the ranking on: begun with the nations, it would sort all of them for every page. */
export const pageOfNations = {
  name: 'page-of-nations',
  text: `select ${nationColumns}
    from chancery_world.nation_place p
    join chancery_world.nation n on n.id = p.nation_id
    left join chancery_world.alliance_member m on m.nation_id = n.id
    left join chancery_world.alliance a on a.id = m.alliance_id
    order by p.position limit $1 offset $2`,
}
export const countFound = {
  name: 'count-found',
  text: 'select count(*) as total from chancery_world.nation where search_text like $1',
}
/** Exact names first, then names that begin so, then the stronger ones. */
export const pageOfFound = {
  name: 'page-of-found',
  text: `select ${nationColumns} from ${nationTables} where n.search_text like $1
    order by split_part(n.search_text, e'\\n', 1) = $2 desc, n.search_text like $3 desc, p.position nulls last, n.id
    limit $4 offset $5`,
}
export const countWars = {
  name: 'count-wars',
  text: `select count(*) as total from ${warsOf}`,
}
export const pageOfWars = {
  name: 'page-of-wars',
  text: `select ${warColumns} from ${warsOf} order by declared_at desc, id limit $3 offset $4`,
}
export const countEvents = {
  name: 'count-events',
  text: 'select count(*) as total from chancery_world.event where type = $1',
}
export const pageOfEvents = {
  name: 'page-of-events',
  text: `select 'evt_' || seq as id, seq, type, occurred_at, summary, nation_ids, alliance_ids, war_id, conflict_id, data
    from chancery_world.event where type = $1 order by seq desc limit $2 offset $3`,
}
export const ownNation = {
  name: 'own-nation',
  text: `select ${nationColumns}, s.military, s.economy, s.production, s.assignments, s.attributes as private_attributes
    from chancery_secret.nation_private s join ${nationTables.trim().replace(/^chancery_world\.nation n/, 'chancery_world.nation n on n.id = s.nation_id')}
    where s.player = $1 order by n.id limit 1`,
}
