import type { FactResource } from '@chancery/contract'
import type { Batch, Change } from '../ingest/batch.ts'
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
  /** The time of an entity: one from before the latest reset is history, and a snapshot does not delete it. */
  time?: string
}

/** Every resource that the game sends. */
export const appliers: Record<FactResource, Applier> = {
  alliance: { apply: applyAlliances, cascades: [endTreatiesOf, removeMembersOfAlliances] },
  nation: { apply: applyNations, cascades: [removeMembershipsOfNations] },
  alliance_member: { apply: applyMembers },
  alliance_application: { apply: applyApplications },
  treaty: { apply: applyTreaties },
  era: { apply: (batch, changes) => applyEras(batch, changes), time: 'ended_at' },
  conflict: { apply: applyConflicts, time: 'started_at' },
  war: { apply: applyWars, time: 'declared_at' },
  battle: { apply: applyBattles, time: 'fought_at' },
  market_price: { apply: applyMarket },
  news_item: { apply: applyNews, time: 'published_at' },
}
