import type { Batch, Erasure } from '../ingest/batch.ts'
import { sql } from '../store/database.ts'
import { publicTextAttributes, type StartedRedaction, startRedaction } from './redact.ts'

/** What a leader who is forgotten is called. */
const leaderName = 'Erased'

/** An erasure whose nations are done. */
export interface StartedErasure {
  player: string
  nations: string[]
  /** Those of them that no other player leads. */
  ownNations: string[]
  redactions: StartedRedaction[]
}

/**
 * Takes the player's nations back to what nobody wrote, with their secrets. A nation that another player leads by now keeps what is
 * that player's own. Neither a player nor a nation needs to be known: an erasure may be told again, also to an older database.
 */
export async function startErasure(batch: Batch, erasure: Erasure): Promise<StartedErasure> {
  const { line, player, name } = erasure
  const { db, contract } = batch
  const leading = await db.rows<{ id: string }>(
    sql`select nation_id as id from chancery_secret.nation_private where player = ${player}`,
  )
  const nations = [...new Set([...erasure.nations, ...leading.map(({ id }) => id)])]
  const redactions: StartedRedaction[] = []
  const attributes = publicTextAttributes(contract.resources.nation.fields)
  for (const key of nations) {
    const data = {
      nation_name: name,
      leader_name: leaderName,
      motto: null,
      flag_url: null,
      attributes: Object.fromEntries(attributes.map(attribute => [attribute, null])),
    }
    const begun = await startRedaction(batch, { line, resource: 'nation', key, data })
    if (begun) redactions.push(begun)
  }
  const own = await db.rows<{ id: string }>(sql`
    select t.id from unnest(${nations}::text[]) as t (id)
    where not exists (select from chancery_secret.nation_private p where p.nation_id = t.id and p.player <> ${player})`)
  const ownNations = own.map(({ id }) => id)
  await db.rows(sql`
    update chancery_secret.nation_private set military = null, economy = null, production = null, assignments = null,
      player = null, moderation_notes = null, attributes = '{}', admin_attributes = '{}' where nation_id = any(${ownNations})`)
  await db.rows(sql`delete from chancery_secret.alliance_application where nation_id = any(${ownNations})`)
  await db.rows(sql`delete from chancery_secret.member_private where nation_id = any(${ownNations})`)
  return { player, nations, ownNations, redactions }
}
