/** The facts of a game: the data of each resource, and of each event. `chancery profile types` writes it for a profile. */
export interface FactTypes {
  resources: object
  events: object
}

/** The facts of any game. */
export interface AnyFacts {
  resources: Record<string, Record<string, unknown>>
  events: Record<string, Record<string, unknown>>
}

type Name<T> = keyof T & string

/** States current values of an item. Omitted fields stay unchanged. */
export type PutFact<T extends FactTypes = AnyFacts> = {
  [R in Name<T['resources']>]: { op: 'put'; resource: R; data: T['resources'][R]; at?: string }
}[Name<T['resources']>]

export interface DeleteFact<T extends FactTypes = AnyFacts> {
  op: 'delete'
  resource: Name<T['resources']>
  id: string
  at?: string
}

/** What an event of the game is about. */
export interface EventDetails {
  /** When it happened. Default: now. */
  occurred_at?: string
  /** One sentence for humans. Only for `game.…` events, as are the ids. */
  summary?: string
  nation_ids?: readonly string[]
  alliance_ids?: readonly string[]
  war_id?: string | null
  conflict_id?: string | null
}

/** Something that happened and changed no state. */
export type EventFact<T extends FactTypes = AnyFacts> = {
  [K in Name<T['events']>]: {
    op: 'event'
    data: EventDetails & { type: K; occurred_at: string; data: T['events'][K] }
  }
}[Name<T['events']>]

/** Rarer facts; the operator API describes them. */
export interface OtherFact {
  op: 'snapshot' | 'redact' | 'erase' | 'reset'
  [member: string]: unknown
}

export type Fact<T extends FactTypes = AnyFacts> = PutFact<T> | DeleteFact<T> | EventFact<T> | OtherFact
