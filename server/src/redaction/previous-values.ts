/** Replaces a text that was redacted without a replacement. */
const ellipsis = '…'
/** Shorter names are often part of other words. */
const anywhereMin = 4

/** In these scripts words have no spaces between them, or take endings: word boundaries cannot be detected. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const letter = String.raw`(?!${unspaced.source})[\p{L}\p{N}]`

/**
 * The previous texts of a redacted entity, collected from all places that store them, and their replacements. Texts that people wrote
 * are searched for them: nothing else marks a name there.
 */
export class PreviousValues {
  #texts = new Set<string>()
  /** Those that are also replaced inside other words, folded. */
  #anywhere = new Set<string>()
  /** By text, folded. */
  #replacements = new Map<string, string>()
  #pattern: RegExp | undefined
  readonly #key: string

  /** `key` is the entity's id, which is stored in place of an unknown name and is not replaced. */
  constructor(key: string) {
    this.#key = key
  }

  /** Adds a name or another distinctive text. */
  add(text: unknown, replacement: unknown): void {
    if (!this.#isPrevious(text, replacement)) return
    if (text.length >= anywhereMin) this.#anywhere.add(fold(text))
    this.#set(text, replacement)
  }

  /** Adds a text that may be a common word, such as a title: it is only replaced as a word of its own. */
  addWord(text: unknown, replacement: unknown): void {
    if (!this.#isPrevious(text, replacement)) return
    if (unspaced.test(text)) this.add(text, replacement)
    else if (!this.#replacements.has(fold(text))) this.#set(text, replacement)
  }

  #isPrevious(text: unknown, replacement: unknown): text is string {
    return typeof text === 'string' && text.trim() !== '' && text !== this.#key && text !== replacement
  }

  #set(text: string, replacement: unknown): void {
    this.#texts.add(text)
    this.#replacements.set(fold(text), typeof replacement === 'string' ? replacement : ellipsis)
    this.#pattern = undefined
  }

  /** Those that are long enough to be searched for in dead letters. */
  get distinctive(): string[] {
    return [...this.#texts].filter(text => text.length >= anywhereMin)
  }

  /** Replaces each of them in a text, ignoring case. Short texts and common words are only replaced as words of their own. */
  replaceIn(text: string): string {
    if (this.#texts.size === 0) return text
    this.#pattern ??= this.#makePattern()
    return text.replace(this.#pattern, found => this.#replacements.get(fold(found)) ?? ellipsis)
  }

  /** Longest first: one name may begin with another. */
  #makePattern(): RegExp {
    const parts = [...this.#texts]
      .toSorted((one, other) => other.length - one.length)
      .map(text =>
        this.#anywhere.has(fold(text))
          ? escapeRegExp(text)
          : String.raw`(?<!${letter}\p{M}*)${escapeRegExp(text)}(?!${letter})`,
      )
    return new RegExp(parts.join('|'), 'giu')
  }
}

const fold = (text: string) => text.toLowerCase()

/** Escapes a text for a regular expression with the flag u. */
const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
