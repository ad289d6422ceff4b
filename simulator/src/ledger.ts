const rowsPerBlock = 4096
const amountMax = 0xffff_ffff

/**
 * How much of each word every nation has: whole numbers in blocks of memory, at the nation’s row and the word’s index.
 * An array for each nation would take three times as much, and a million nations are to fit.
 */
export class Ledger {
  readonly #width: number
  readonly #blocks: Uint32Array[] = []

  constructor(width: number) {
    this.#width = Math.max(1, width)
  }

  of(holder: { readonly row: number }, word: { readonly index: number }): number {
    const block = this.#blocks[Math.floor(holder.row / rowsPerBlock)]
    return block?.[(holder.row % rowsPerBlock) * this.#width + word.index] ?? 0
  }

  /** Rounds down. Throws a RangeError for what is below 0 or beyond 32 bits. */
  set(holder: { readonly row: number }, word: { readonly index: number }, amount: number) {
    if (!(amount >= 0 && amount <= amountMax)) throw new RangeError(`${amount} is no amount.`)
    const at = Math.floor(holder.row / rowsPerBlock)
    while (this.#blocks.length <= at) this.#blocks.push(new Uint32Array(rowsPerBlock * this.#width))
    const block = this.#blocks[at]
    if (block) block[(holder.row % rowsPerBlock) * this.#width + word.index] = Math.floor(amount)
  }

  add(holder: { readonly row: number }, word: { readonly index: number }, amount: number) {
    this.set(holder, word, this.of(holder, word) + amount)
  }
}
