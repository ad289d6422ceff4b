import type { Random } from '../random.ts'
import { allianceName, tagOf } from './alliance-words.ts'
import { type Family, families } from './families.ts'
import { isReserved } from './reserved.ts'

const styles: readonly [RegExp, readonly string[]][] = [
  [/monarch|kingdom|feudal/, ['Kingdom of', 'Grand Duchy of', 'Crown of', 'Principality of']],
  [/republic|democra/, ['Republic of', 'Free State of', 'Commonwealth of']],
  [/federa|union/, ['Federation of', 'United Cantons of', 'Union of']],
  [/junta|dictat|milit/, ['Dominion of', 'State of', 'Protectorate of']],
  [/theo|relig/, ['Holy See of', 'Temple State of']],
  [/commun|social/, ['Communes of', 'People’s Union of']],
  [/techno|corp/, ['Directorate of', 'Concord of']],
]
const quarters = [
  'New',
  'Upper',
  'Lower',
  'Old',
  'East',
  'West',
  'North',
  'South',
  'Greater',
  'Inner',
  'Outer',
]

const isVowel = (letter: string | undefined) => letter !== undefined && 'aeiouyáéíóúâäöüōøåæ'.includes(letter)

/** Two pieces of a word without the stumbles: no letter doubled by accident, no two vowels in a row. */
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

/** A town or a landmark. Towns may share a name, as they do. */
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

/** Every name that is taken. Names of nations and alliances, and tags, are given once. */
export class NameBook {
  readonly #taken = new Set<string>()

  #take(name: string): boolean {
    // Sizes tell whether it was new with one look instead of two.
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

  /** A name for something of which there are few; `invent` is asked until it says something new. */
  once(kind: string, invent: () => string): string {
    for (;;) {
      const name = invent()
      if (this.#take(`${kind} ${name}`)) return name
    }
  }
}
