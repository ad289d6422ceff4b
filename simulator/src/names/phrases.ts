import type { Random } from '../random.ts'
import type { Alliance } from '../state.ts'
import { placeName } from './name-book.ts'

const split = (text: string) => text.split(', ')

const seas = split(
  'Straits, Two Harbours, Salt Road, Long Coast, Grain Fleets, Broken Seals, Nine Rivers, High Passes, Burnt Bridges, Three Crowns',
)

/** The name of a global conflict. */
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

const dawns = split(
  'Dawn, Concord, Settlement, Reckoning, Voyage, Flowering, Partition, Restoration, Ascent, Balance',
)
const ordinals = split('Zeroth, First, Second, Third, Fourth, Fifth, Sixth, Seventh, Eighth, Ninth, Tenth')

export function eraName(random: Random, number: number): string {
  const ordinal = ordinals[number] ?? 'Latest'
  return random.chance(0.6) ? `The ${ordinal} ${random.pick(dawns)}` : `Age of the ${random.pick(dawns)}`
}

const trials = split(
  'storm, winter, fire, salt and stone, the long night, drought, deep water, thorns, exile, silence, snow, the narrow pass',
)
const goals = split(
  'homeward, to the harvest, unbroken, to the light, together, towards the sea, upright, undivided, onward, free',
)
const virtues = split(
  'Honour, Patience, Courage, Bread, Justice, Memory, Order, Harvest, Liberty, Toil, Mercy, Vigilance, Truth, Craft, Faith, Unity',
)
const objects = split(
  'plough, oar, hammer, lantern, word, bow, anvil, well, sail, quill, shield, stone, loom, compass, bell',
)
const whole = split(
  'Small is not weak, We were here before the maps, The sea remembers, Measure twice, No gate unguarded, Ask the mountain, Every hearth a fortress, Rise early, None above the law, First the harvest, The tide returns, We do not kneel, Peace has a price, Later than you think, Not by numbers, Let the river decide, Built to last',
)

export function motto(random: Random): string {
  const form = random.unit()
  if (form < 0.25) return `Through ${random.pick(trials)}, ${random.pick(goals)}.`
  if (form < 0.5) return `${random.sample(virtues, 2).join(' and ')}.`
  if (form < 0.6) return `${random.sample(virtues, 3).join(', ')}.`
  if (form < 0.75) return `By ${random.sample(objects, 2).join(' and ')}.`
  if (form < 0.82) return `The ${random.pick(objects)} before the ${random.pick(objects)}.`
  return `${random.pick(whole)}.`
}
