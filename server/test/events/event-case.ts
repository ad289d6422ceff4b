import type { Fact } from '../support/test-server.ts'
import type { Event } from './log-model.ts'

type EmittedEvent = Omit<Event, 'id' | 'seq'>
type EventSubjects = Partial<Omit<EmittedEvent, 'type' | 'summary' | 'data'>>

/** A fact about a world that holds `given`, and the events that it emits. Cases build on the world of the cases before them. */
export interface Case {
  name: string
  given: Fact[]
  fact: Fact
  events: EmittedEvent[]
}

export const noon = '2026-05-30T12:00:00Z'
export const at = (fact: Fact): Fact => ({ ...fact, at: noon })
export const nationOf = (id: string) => ({ nation_id: id, nation_name: `Nation ${id}` })
export const allianceOf = (id: string) => ({ alliance_id: id, name: `Alliance ${id}`, tag: id.toUpperCase() })
export const memberOf = (id: string, alliance: string) => ({
  nation: nationOf(id),
  alliance: allianceOf(alliance),
})
export const fighter = (id: string, alliance?: string) => ({
  ...nationOf(id),
  alliance_id: alliance ?? null,
  alliance_name: alliance === undefined ? null : `Alliance ${alliance}`,
})

/** An event at noon about the nation and the alliance in its data, and no war or conflict, unless `subjects` gives others. */
export const emits = (
  type: string,
  summary: string,
  data: Partial<ReturnType<typeof memberOf>> & Event['data'],
  subjects: EventSubjects = {},
): EmittedEvent => ({
  type,
  summary,
  data,
  occurred_at: noon,
  nation_ids: data.nation ? [data.nation.nation_id] : [],
  alliance_ids: data.alliance ? [data.alliance.alliance_id] : [],
  war_id: null,
  conflict_id: null,
  ...subjects,
})

/** The last of `facts` is the fact of the case, those before it are given. */
export function change(name: string, facts: Fact | Fact[], ...events: EmittedEvent[]): Case {
  const given = [facts].flat()
  const fact = given.pop() ?? {}
  return { name, given, fact, events }
}
