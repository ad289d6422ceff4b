/** A row of the database. */
export type Row = Record<string, unknown>

/** A nation as Chancery words it. */
export function nationOf(row: Row): Row {
  const { active_offensive, active_defensive, wars_won, wars_lost, ...rest } = row
  const { alliance_id, member_rank, alliance_name, alliance_tag } = rest
  return {
    ...rest,
    alliance:
      alliance_id === null
        ? null
        : { alliance_id, rank: member_rank, alliances: { name: alliance_name, tag: alliance_tag } },
    wars: { active_offensive, active_defensive, won: wars_won, lost: wars_lost },
    url: null,
  }
}

export const ownNationOf = ({ private_attributes, ...row }: Row): Row => ({
  ...nationOf(row),
  attributes: { ...(row.attributes as Row), ...(private_attributes as Row) },
})

export const warOf = (row: Row): Row => ({
  ...row,
  attacker: sideOf(row, 'attacker'),
  defender: sideOf(row, 'defender'),
  losses: { attacker: row.attacker_losses, defender: row.defender_losses },
  url: null,
})

const sideOf = (row: Row, side: string): Row => ({
  nation_id: row[`${side}_nation_id`],
  nation_name: row[`${side}_nation_name`],
  alliance_id: row[`${side}_alliance_id`],
  alliance_name: row[`${side}_alliance_name`],
})
