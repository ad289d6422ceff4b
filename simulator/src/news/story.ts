import type { Random } from '../random.ts'
import type { Alliance, Nation, WorldState } from '../state.ts'
import type { Occurrence, OccurrenceOf } from '../step.ts'

/** A story before it is published. */
export interface Story {
  title: string
  paragraphs: string[]
  topic: 'war' | 'diplomacy' | 'economy' | 'world'
  nations?: Nation[]
  /** Default: the alliances of the nations. */
  alliances?: (Alliance | null)[]
}

export interface StoryContext {
  world: WorldState
  random: Random
}

/** Writes a story about one kind of occurrence. */
export type StoryWriter<K extends Occurrence['kind']> = (of: OccurrenceOf<K>, context: StoryContext) => Story

export const grouped = (value: number) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')

/** “1,200 soldiers, 31 tanks and 2 ships” */
export function listing(parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? 'nothing'
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

export function lossesInWords({ vocabulary }: WorldState, losses: Record<string, number>): string {
  const parts = vocabulary.units
    .filter(unit => (losses[unit.key] ?? 0) > 0)
    .map(unit => `${grouped(losses[unit.key] ?? 0)} ${unit.label.toLowerCase()}`)
  return parts.length > 0 ? listing(parts) : 'nobody'
}

/** A nation and, in brackets, the tag of its alliance. */
export const named = (nation: Nation) =>
  nation.alliance ? `${nation.name} (${nation.alliance.tag})` : nation.name

/** A name with its article, within a sentence. */
export const within = (name: string) => name.replace(/^The /, 'the ').replace(/^War /, 'the War ')

export const counted = (number: number, noun: string) =>
  `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`

/** “1st”, “12th” */
export const ordinal = (number: number) => {
  const ending =
    number % 100 > 10 && number % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${number}${ending}`
}
