import type { Random } from '../random.ts'

const adjectives = `Northern Southern Eastern Western Free Iron Silver Golden Crimson Azure Emerald Amber Obsidian Grand
  United Sovereign Eternal Rising Silent Radiant Restless Ancient Maritime Boreal Austral Twilight Verdant Ashen
  Unbroken Loyal Steadfast Hidden Burning Frozen High Inner Outer Common Ivory Copper Scarlet Wandering Seventh Last`
const bodies = `Pact League Accord Union Compact Concord Alliance Coalition Syndicate Assembly Covenant Entente Front
  Brotherhood Order Confederacy Council Ports Wardens Guard Legion Vanguard Hegemony Commonwealth Circle Crown`
const emblems = `Lantern Falcon Anchor Rose Wolf Compass Lion Oak Raven Star Tower Shield Sun Crescent Wheel Serpent
  Heron Bear Hammer Gate Torch Stag Wave Thorn Sextant Owl Hearth Mountain Tide Arrow`
const split = (text: string) => text.trim().split(/\s+/)
const [adjectiveList, bodyList, emblemList] = [split(adjectives), split(bodies), split(emblems)]

export function allianceName(random: Random, place: () => string): string {
  const adjective = random.pick(adjectiveList)
  const body = random.pick(bodyList)
  const emblem = random.pick(emblemList)
  const form = random.unit()
  if (form < 0.3) return `${adjective} ${body}`
  if (form < 0.38) return `Order of the ${adjective} ${emblem}`
  if (form < 0.55) return `${emblem} ${body}`
  if (form < 0.78) return `${place()} ${body}`
  if (form < 0.86) return `League of ${place()}`
  if (form < 0.93) return `The ${adjective} ${emblem}`
  return `${body} of the ${emblem}`
}

/** Initials first; further attempts add letters, then numbers. */
export function tagOf(random: Random, name: string, attempt: number): string {
  const parts = name.split(/[\s-]+/).filter(part => !/^(of|the)$/i.test(part))
  const initials = parts.map(part => part.slice(0, 1)).join('')
  if (attempt === 0 && initials.length > 1) return initials.toUpperCase()
  if (attempt <= 1) return (parts[0] ?? name).slice(0, 3).toUpperCase()
  if (attempt <= 3) {
    return parts
      .map(part => part.slice(0, attempt))
      .join('')
      .slice(0, 6)
      .toUpperCase()
  }
  return `${initials.toUpperCase()}${random.integer(2, 9 + attempt * attempt)}`
}
