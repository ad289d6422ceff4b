import type { Random } from '../random.ts'
import type { Alliance } from '../state.ts'
import { placeName } from './name-book.ts'

const seas = [
  'Straits',
  'Two Harbours',
  'Salt Road',
  'Long Coast',
  'Grain Fleets',
  'Broken Seals',
  'Nine Rivers',
  'High Passes',
  'Burnt Bridges',
  'Three Crowns',
]

/** What people will call a global conflict. */
export function conflictName(random: Random, [one, other]: readonly [Alliance, Alliance]): string {
  const place = placeName(random, random.chance(0.5) ? one.family : other.family)
  const form = random.unit()
  if (form < 0.35) return `War of the ${random.pick(seas)}`
  if (form < 0.65) return `The ${place} War`
  if (form < 0.8)
    return `The ${random.pick(['Autumn', 'Midwinter', 'Spring', 'Summer', 'Copper', 'Long', 'Ten Weeks’', 'Harvest'])} War`
  if (form < 0.9) return `War of the ${place} Succession`
  return `The ${one.tag}–${other.tag} War`
}

const dawns = [
  'Dawn',
  'Concord',
  'Settlement',
  'Reckoning',
  'Voyage',
  'Flowering',
  'Partition',
  'Restoration',
  'Ascent',
  'Balance',
]
const ordinals = [
  'Zeroth',
  'First',
  'Second',
  'Third',
  'Fourth',
  'Fifth',
  'Sixth',
  'Seventh',
  'Eighth',
  'Ninth',
  'Tenth',
]

export function eraName(random: Random, number: number): string {
  const ordinal = ordinals[number] ?? 'Latest'
  return random.chance(0.6) ? `The ${ordinal} ${random.pick(dawns)}` : `Age of the ${random.pick(dawns)}`
}
