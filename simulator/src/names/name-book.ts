import type { Random } from '../random.ts'
import { type Family, families } from './families.ts'

const styles: readonly [RegExp, readonly string[]][] = [
  [/monarch|kingdom|feudal/, ['Kingdom of', 'Grand Duchy of', 'Crown of', 'Principality of']],
  [/republic|democra/, ['Republic of', 'Free State of', 'Commonwealth of']],
  [/federa|union/, ['Federation of', 'United Cantons of', 'Union of']],
  [/junta|dictat|milit/, ['Dominion of', 'State of', 'Protectorate of']],
  [/theo|relig/, ['Holy See of', 'Temple State of']],
  [/commun|social/, ['Communes of', 'People’s Union of']],
  [/techno|corp/, ['Directorate of', 'Concord of']],
]
const quarters = 'New Upper Lower Old East West North South Greater Inner Outer'.split(' ')

const isVowel = (letter: string | undefined) => letter !== undefined && 'aeiouyáéíóúâäöüōøåæ'.includes(letter)

/** Joins two syllables without doubled letters and adjacent vowels. */
function joined(left: string, right: string): string {
  const last = left.at(-1)?.toLowerCase()
  const first = right[0]?.toLowerCase()
  if (left.length > 2 && (last === first || (isVowel(last) && isVowel(first))))
    return left.slice(0, -1) + right
  return left + right
}

function wordOf(random: Random, from: Family, middles: number): string {
  let word = random.pick(from.starts)
  for (let count = 0; count < middles; count++) word = joined(word, random.pick(from.middles))
  return joined(word, random.pick(from.ends))
}

const familyAt = (index: number): Family => families[index % families.length] ?? families[0]

/** The name of a place. Not unique. */
export const placeName = (random: Random, family: number) => {
  const place = wordOf(random, familyAt(family), random.chance(0.3) ? 1 : 0)
  if (random.chance(0.2)) return `${random.pick(['Port', 'Fort', 'Mount', 'Cape', 'San', 'Saint'])} ${place}`
  return place
}

export function leaderName(random: Random, family: number): string {
  const from = familyAt(family)
  const particle = random.pick(from.particles)
  const surname = joined(random.pick(from.starts), random.pick(from.surnameEnds))
  return [random.pick(from.given), particle, surname].filter(part => part !== '').join(' ')
}

/** Unique names of nations and alliances, and unique tags. */
export class NameBook {
  readonly #taken = new Set<string>()

  #take(name: string): boolean {
    // Comparing sizes saves a second lookup.
    const before = this.#taken.size
    return this.#taken.add(name).size > before
  }

  nation(random: Random, family: number, government: string): string {
    for (let attempt = 0; ; attempt++) {
      const middles = attempt > 6 ? 2 : random.chance(0.62 - attempt * 0.1) ? 0 : 1
      const word = wordOf(random, familyAt(family), middles)
      if (isReserved(word)) continue
      const name = attempt > 9 ? `${random.pick(quarters)} ${word}` : this.#styled(random, word, government)
      if (name.length <= 40 && this.#take(name)) return name
    }
  }

  #styled(random: Random, word: string, government: string): string {
    if (random.chance(0.86)) return word
    if (random.chance(0.25)) return `${random.pick(quarters)} ${word}`
    const style = styles.find(([pattern]) => pattern.test(government))
    return style ? `${random.pick(style[1])} ${word}` : `${word} ${random.pick(['Isles', 'Reach', 'Shores'])}`
  }

  alliance(random: Random): { name: string; tag: string } {
    for (;;) {
      const name = allianceName(random, () => placeName(random, random.integer(0, families.length - 1)))
      if (isReserved(name) || !this.#take(`alliance ${name}`)) continue
      for (let attempt = 0; ; attempt++) {
        const tag = tagOf(random, name, attempt)
        if (this.#take(`tag ${tag}`)) return { name, tag }
      }
    }
  }

  /** Calls `invent` until it returns an unused name. */
  once(kind: string, invent: () => string): string {
    for (;;) {
      const name = invent()
      if (this.#take(`${kind} ${name}`)) return name
    }
  }
}

const adjectives = `Northern Southern Eastern Western Free Iron Silver Golden Crimson Azure Emerald Amber Obsidian Grand
  United Sovereign Eternal Rising Silent Radiant Restless Ancient Maritime Boreal Austral Twilight Verdant Ashen
  Unbroken Loyal Steadfast Hidden Burning Frozen High Inner Outer Common Ivory Copper Scarlet Wandering Seventh Last`
const bodies = `Pact League Accord Union Compact Concord Alliance Coalition Syndicate Assembly Covenant Entente Front
  Brotherhood Order Confederacy Council Ports Wardens Guard Legion Vanguard Hegemony Commonwealth Circle Crown`
const emblems = `Lantern Falcon Anchor Rose Wolf Compass Lion Oak Raven Star Tower Shield Sun Crescent Wheel Serpent
  Heron Bear Hammer Gate Torch Stag Wave Thorn Sextant Owl Hearth Mountain Tide Arrow`
const split = (text: string) => text.trim().split(/\s+/)
const [adjectiveList, bodyList, emblemList] = [split(adjectives), split(bodies), split(emblems)]

function allianceName(random: Random, place: () => string): string {
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

/** The initials; further attempts add letters, then numbers. */
function tagOf(random: Random, name: string, attempt: number): string {
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

const words = (text: string) => new Set(text.trim().split(/\s+/))

/** Names of real and fictional countries, which generated names must not equal. */
const lands = words(`
  albania algeria andorra angola armenia austria bahrain barbados belize benin bolivia bosnia botswana brunei
  bulgaria burundi chad chile china colombia congo croatia cuba cyprus denmark dominica ecuador egypt eritrea estonia
  ethiopia fiji finland france gabon gambia georgia germany ghana greece grenada guinea guyana haiti honduras hungary
  iceland india iran iraq ireland israel italy jamaica japan jordan kenya korea kosovo kuwait laos latvia lebanon
  lesotho liberia libya lithuania macedonia malawi mali malta mexico moldova monaco mongolia morocco namibia nauru
  nepal niger nigeria norway oman palau panama peru poland portugal qatar romania russia rwanda samoa serbia
  singapore slovakia slovenia somalia spain sudan sweden syria taiwan tanzania thailand togo tonga tunisia turkey
  uganda ukraine uruguay vanuatu venezuela vietnam yemen zambia zimbabwe england scotland wales bavaria catalonia
  galicia dalmatia florida victoria normandy brittany saxony prussia castile aragon savoy tuscany sicily sardinia
  corsica crete rhodes samos naxos athens corinth ithaca salzburg hamburg stuttgart frankfurt neustadt oberfeld
  belgrad belgrade karelia moravia silesia bohemia slavonia slovania verona corona salerno calabria lombardia
  gondor mordor rohan narnia westeros tatooine azeroth tamriel skyrim hyrule wakanda genovia latveria sokovia zamunda
  winterfell dorne valyria braavos morrowind coruscant alderaan endor arrakis caladan valinor themyscira asgard
  midgard atlantis avalon camelot erewhon utopia fujiyama yamamoto yokohama nagasaki hiroshima hangzhou shinkai
  samara samarqand sahara kalahari tahiti tuvalu kiribati karnak karlsburg ulmberg falkland falklands wolfsburg
  goldberg elmira florence lorena aurora miramar marbella
`)

/** Offensive syllables. */
const pieces =
  /fuck|shit|cunt|rape|nazi|hitler|cock|dick|anus|tits|slut|nigg|nigr|fagg|kike|porn|sex|penis|wank|piss|arsch|scheis|mussol|lenin|stalin|putin/

function isReserved(name: string): boolean {
  const folded = name.toLowerCase()
  return pieces.test(folded) || folded.split(' ').some(word => lands.has(word))
}
