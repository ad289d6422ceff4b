import type { FactResource } from '@chancery/contract'
import type { Batch, Change } from '../ingest/batch.ts'
import { raw, type Sql } from '../store/database.ts'
import { applyAlliances } from './alliances/apply.ts'
import { applyApplications } from './applications/apply.ts'
import { applyBattles } from './battles/apply.ts'
import { applyConflicts } from './conflicts/apply.ts'
import { applyEras } from './eras/apply.ts'
import { applyMarket } from './market/apply.ts'
import { applyMembers, removeMembershipsOfNations, removeMembersOfAlliances } from './members/apply.ts'
import { applyNations } from './nations/apply.ts'
import { applyNews } from './news/apply.ts'
import { applyTreaties, endTreatiesOf } from './treaties/apply.ts'
import { applyWars } from './wars/apply.ts'

type Apply = (batch: Batch, changes: Change[]) => Promise<void>

/** How the facts about a resource are applied. */
export interface Applier {
  apply: Apply
  /**
   * Cascading deletions. They run before any chunk of their resource is applied, under the names from before the batch: otherwise the
   * number of facts in the batch, secret ones too, would decide which names the events have.
   */
  cascades?: readonly Apply[]
  /** The condition of rows of its table, as `t`, that are history: a snapshot neither counts nor deletes them. */
  history?: Sql
}

/** History is what was before the latest reset. */
const beforeReset = (column: string) =>
  raw(`coalesce(t.${column} <= (select max(r.at) from chancery_world.era_reset r), false)`)

/** Every resource that the game sends. */
export const appliers: Record<FactResource, Applier> = {
  alliance: { apply: applyAlliances, cascades: [endTreatiesOf('alliance_ids'), removeMembersOfAlliances] },
  nation: { apply: applyNations, cascades: [endTreatiesOf('nation_ids'), removeMembershipsOfNations] },
  alliance_member: { apply: applyMembers },
  alliance_application: { apply: applyApplications },
  treaty: { apply: applyTreaties, history: raw('t.is_past') },
  era: { apply: (batch, changes) => applyEras(batch, changes), history: beforeReset('ended_at') },
  conflict: { apply: applyConflicts, history: beforeReset('started_at') },
  war: { apply: applyWars, history: beforeReset('declared_at') },
  battle: { apply: applyBattles, history: beforeReset('fought_at') },
  market_price: { apply: applyMarket },
  news_item: { apply: applyNews, history: beforeReset('published_at') },
}
