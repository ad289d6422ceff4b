import type { CommitFact, Contract, EventData, FactResource, InputOf } from '@chancery/contract'

/** Any part of a row, since the service merges. Lists stay complete. */
type Part<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Part<T[K]> } : T

export type PutData<N extends FactResource> = Part<InputOf<Contract['resources'][N]>>

export interface Put<N extends FactResource> {
  op: 'put'
  resource: N
  data: PutData<N>
  at: string
}
export interface Delete {
  op: 'delete'
  resource: FactResource
  id: string
  at: string
}
export type WeaponEventType = 'strategic_weapon.launched' | 'strategic_weapon.intercepted'
/** Chancery adds the names. */
type WeaponData = Omit<EventData<WeaponEventType>, 'attacker_nation_name' | 'defender_nation_name'>
export type SentEvent =
  | { type: WeaponEventType; occurred_at: string; data: WeaponData }
  | {
      type: `game.${string}`
      occurred_at: string
      data: Record<string, string | number | boolean>
      summary: string
      nation_ids: string[]
    }
export interface EventFact {
  op: 'event'
  data: SentEvent
}
export type Fact = { [N in FactResource]: Put<N> }[FactResource] | Delete | EventFact

/** Facts that the service applies together. The same world has the same ids. */
export interface Batch {
  id: string
  announce: boolean
  facts: Fact[]
  /** With the first batch of each day of history: the day at whose end the state of the world is. */
  endsDay?: string
}

/** The batch as NDJSON, closed by its commit line. */
export function linesOf(batch: Batch): string {
  const commit: CommitFact = {
    op: 'commit',
    batch: batch.id,
    ...(batch.announce ? {} : { announce: false }),
  }
  return `${[...batch.facts, commit].map(line => JSON.stringify(line)).join('\n')}\n`
}
