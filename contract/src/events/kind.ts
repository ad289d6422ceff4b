import type { Static, TSchema } from 'typebox'

/** Looks up what a nation or an alliance is called at the moment of the event. */
export interface Names {
  nation(id: string): string
}

/**
 * A kind of event. Its data is public as a whole: there is no way to give a member of it another class.
 * `isDerived` kinds come from the change of state, so that a game can neither forget nor contradict them; the others are sent by the game.
 */
export interface EventKind<S extends TSchema = TSchema> {
  description: string
  isDerived: boolean
  data: S
  /** One English sentence for people. */
  summarize(data: Static<S>, names: Names): string
}

/** A kind with its data and its sentence. */
export const kind = <S extends TSchema>(
  isDerived: boolean,
  description: string,
  data: S,
  summarize: (data: Static<S>, names: Names) => string,
): EventKind<S> => ({ isDerived, description, data, summarize })

/** A kind that comes from the change of state. */
export const derivedKind = <S extends TSchema>(
  description: string,
  data: S,
  summarize: (data: Static<S>, names: Names) => string,
) => kind(true, description, data, summarize)
