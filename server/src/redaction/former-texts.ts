import { literal } from './literal.ts'

/** Stands in running text for what was taken away without another text in its place. */
const nothing = '…'
/** Shorter names are often a part of other words. */
const anywhereMin = 4

/**
 * What a thing's texts were before, as far as any place remembers. In sentences that people wrote there is no other way to
 * find them.
 */
export class FormerTexts {
  #texts = new Set<string>()
  /** By text, folded. */
  #replacements = new Map<string, string>()
  #pattern: RegExp | undefined
  readonly #key: string

  /** `key` is the thing's id: where a name was unknown the id stands for it, and tells nothing. */
  constructor(key: string) {
    this.#key = key
  }

  add(text: unknown, replacement: unknown): void {
    if (typeof text !== 'string' || text.trim() === '' || text === this.#key || text === replacement) return
    this.#texts.add(text)
    this.#replacements.set(fold(text), typeof replacement === 'string' ? replacement : nothing)
    this.#pattern = undefined
  }

  /** All of them that are long enough to be found anywhere. */
  get distinctive(): string[] {
    return [...this.#texts].filter(text => text.length >= anywhereMin)
  }

  /** The same text with each of them replaced, in any case of letters. One shorter than four characters only as a word of its own. */
  replaceIn(text: string): string {
    if (this.#texts.size === 0) return text
    this.#pattern ??= patternOf([...this.#texts])
    return text.replace(this.#pattern, found => this.#replacements.get(fold(found)) ?? nothing)
  }
}

const fold = (text: string) => text.toLowerCase()

/** The longest first: one name may begin with another. */
function patternOf(texts: string[]): RegExp {
  const parts = texts
    .toSorted((one, other) => other.length - one.length)
    .map(text => {
      const exact = literal(text)
      return text.length < anywhereMin ? `(?<![\\p{L}\\p{N}])${exact}(?![\\p{L}\\p{N}])` : exact
    })
  return new RegExp(parts.join('|'), 'giu')
}
