import type { Random } from '../random.ts'

const split = (text: string) => text.trim().split(/\s*,\s*/)
const trials = split(
  'storm, winter, fire, salt and stone, the long night, drought, deep water, thorns, exile, silence, snow, the narrow pass',
)
const goals = split(
  'homeward, to the harvest, unbroken, to the light, together, towards the sea, upright, undivided, onward, free',
)
const virtues = split(
  'Honour, Patience, Courage, Bread, Justice, Memory, Order, Harvest, Liberty, Toil, Mercy, Vigilance, Truth, Craft, Faith, Unity',
)
const things = split(
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
  if (form < 0.75) return `By ${random.sample(things, 2).join(' and ')}.`
  if (form < 0.82) return `The ${random.pick(things)} before the ${random.pick(things)}.`
  return `${random.pick(whole)}.`
}
