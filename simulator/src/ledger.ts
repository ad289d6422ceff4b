const rowsPerBlock = 4096
const amountMax = 0xffff_ffff

/**
 * The amount of each unit or good of every nation: whole numbers in typed arrays, at the nation’s row and the term’s index.
 * An array per nation would take three times the memory, and a million nations must fit.
 */
export class Ledger {
  readonly #width: number
  readonly #blocks: Uint32Array[] = []

  constructor(width: number) {
    this.#width = Math.max(1, width)
  }

  of(holder: { readonly row: number }, term: { readonly index: number }): number {
    const block = this.#blocks[Math.floor(holder.row / rowsPerBlock)]
    return block?.[(holder.row % rowsPerBlock) * this.#width + term.index] ?? 0
  }

  /** Rounds down. Throws a RangeError for amounts below 0 or above 32 bits. */
  set(holder: { readonly row: number }, term: { readonly index: number }, amount: number) {
    if (!(amount >= 0 && amount <= amountMax))
      throw new RangeError(`${amount} is not an amount from 0 to ${amountMax}.`)
    const at = Math.floor(holder.row / rowsPerBlock)
    while (this.#blocks.length <= at) this.#blocks.push(new Uint32Array(rowsPerBlock * this.#width))
    const block = this.#blocks[at]
    if (block) block[(holder.row % rowsPerBlock) * this.#width + term.index] = Math.floor(amount)
  }

  add(holder: { readonly row: number }, term: { readonly index: number }, amount: number) {
    this.set(holder, term, this.of(holder, term) + amount)
  }
}
