import { currencyOf, type PublicOf, type ResourceOf } from '@chancery/contract'
import { sql } from '../../store/database.ts'
import { publicColumns, type ReadContext } from '../../store/fact-columns.ts'

export type Game = PublicOf<ResourceOf<'game'>>

/** The terms of the game, from its profile, and the state of its world. */
export async function readGame(context: ReadContext): Promise<Game> {
  const {
    pages: _pages,
    event_kinds: _own,
    attributes,
    nation_statuses = [],
    war_outcomes = [],
    ...words
  } = context.contract.profile
  const era = await findCurrentEra(context)
  const row = await context.pools.public.first<{ world_changed_at: string | null }>(
    sql`select world_changed_at from chancery_world.pulse`,
  )
  return {
    ...words,
    currency: currencyOf(words),
    nation_statuses,
    war_outcomes,
    event_kinds: Object.entries(context.contract.eventKinds).map(([type, { description }]) => ({
      type,
      description,
    })),
    attributes: {
      nation: readableAttributes(attributes.nation),
      alliance: readableAttributes(attributes.alliance),
    },
    era: era ?? null,
    world_changed_at: row?.world_changed_at ?? null,
  }
}

type Era = PublicOf<ResourceOf<'era'>>

const eraColumns = publicColumns('era', 'e')

/** The active era; of several the one that started last. */
const findCurrentEra = (context: ReadContext): Promise<Era | undefined> =>
  context.pools.public.first<Era>(sql`
    select ${eraColumns(context)} from chancery_world.era e where e.status = 'active'
    order by e.started_at desc nulls last, e.id limit 1`)

/** Attributes that no viewer may read are not listed. */
const readableAttributes = (attributes: Game['attributes']['nation']) =>
  attributes.filter(attribute => attribute.class !== 'admin_only')
