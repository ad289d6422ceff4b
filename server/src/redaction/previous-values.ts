/** Stands in running text for what was taken away without another text in its place. */
const nothing = '…'
/** Shorter names are often a part of other words. */
const anywhereMin = 4

/** In these scripts words stand without spaces between them, or take endings: there no word of its own can be told. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const letter = String.raw`(?!${unspaced.source})[\p{L}\p{N}]`

/**
 * What a thing's texts were before, as far as any place remembers. In sentences that people wrote there is no other way to
 * find them.
 */
export class PreviousValues {
  #texts = new Set<string>()
  /** Those that are found within other words too, folded. */
  #anywhere = new Set<string>()
  /** By text, folded. */
  #replacements = new Map<string, string>()
  #pattern: RegExp | undefined
  readonly #key: string

  /** `key` is the thing's id: where a name was unknown the id stands for it, and tells nothing. */
  constructor(key: string) {
    this.#key = key
  }

  /** Adds a name, or another text that is distinctive. */
  add(text: unknown, replacement: unknown): void {
    if (!this.#isFormer(text, replacement)) return
    if (text.length >= anywhereMin) this.#anywhere.add(fold(text))
    this.#set(text, replacement)
  }

  /** Adds a text that may be a common word, such as a title: other words that hold it stay as they are. */
  addWord(text: unknown, replacement: unknown): void {
    if (!this.#isFormer(text, replacement)) return
    if (unspaced.test(text)) this.add(text, replacement)
    else if (!this.#replacements.has(fold(text))) this.#set(text, replacement)
  }

  #isFormer(text: unknown, replacement: unknown): text is string {
    return typeof text === 'string' && text.trim() !== '' && text !== this.#key && text !== replacement
  }

  #set(text: string, replacement: unknown): void {
    this.#texts.add(text)
    this.#replacements.set(fold(text), typeof replacement === 'string' ? replacement : nothing)
    this.#pattern = undefined
  }

  /** All of them that are not too short to be looked for in what was refused. */
  get distinctive(): string[] {
    return [...this.#texts].filter(text => text.length >= anywhereMin)
  }

  /** The same text with each of them replaced, in any case of letters. Short texts and common words only as words of their own. */
  replaceIn(text: string): string {
    if (this.#texts.size === 0) return text
    this.#pattern ??= this.#makePattern()
    return text.replace(this.#pattern, found => this.#replacements.get(fold(found)) ?? nothing)
  }

  /** The longest first: one name may begin with another. */
  #makePattern(): RegExp {
    const parts = [...this.#texts]
      .toSorted((one, other) => other.length - one.length)
      .map(text =>
        this.#anywhere.has(fold(text))
          ? literal(text)
          : String.raw`(?<!${letter}\p{M}*)${literal(text)}(?!${letter})`,
      )
    return new RegExp(parts.join('|'), 'giu')
  }
}

const fold = (text: string) => text.toLowerCase()

/** A regular expression, of those with the flag u, that matches just this text. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
