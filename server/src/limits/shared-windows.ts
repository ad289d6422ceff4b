import { randomInt } from 'node:crypto'
import { noSlot, type WindowTable } from './window-table.ts'

/** 12 MB. A flood of 100,000 new addresses a second puts some 6 calls a minute into each window. */
const windowsMax = 2 ** 20

/**
 * Where subjects go that arrive while the ring is full. Evicting a window would forget a running count,
 * and an attacker could buy fresh windows by flooding; refusing would shut everybody out. Here strangers
 * share a window by hash: nobody exceeds a limit, and few lose calls to a stranger.
 * The hash is seeded, so that nobody can choose whose window to use up.
 */
export class SharedWindows implements WindowTable {
  #counts = new Uint32Array(0)
  #endsAt = new Float64Array(0)
  #lastEnd = 0
  readonly #seed = randomInt(2 ** 32)

  /** A running window is found also when the ring has room again: it ends before its subjects move. */
  find(subject: string, now: number): number {
    if (this.#lastEnd <= now) return noSlot
    const slot = this.#slotFor(subject)
    return this.endOf(slot) > now ? slot : noSlot
  }

  open(subject: string, endsAt: number): number {
    // Made on first need: most servers never come here.
    if (this.#counts.length === 0) {
      this.#counts = new Uint32Array(windowsMax)
      this.#endsAt = new Float64Array(windowsMax)
    }
    const slot = this.#slotFor(subject)
    this.#counts[slot] = 0
    this.#endsAt[slot] = endsAt
    this.#lastEnd = endsAt
    return slot
  }

  countOf(slot: number): number {
    return this.#counts[slot] ?? 0
  }

  endOf(slot: number): number {
    return this.#endsAt[slot] ?? 0
  }

  increment(slot: number): void {
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1
  }

  /** FNV-1a with the finishing steps of MurmurHash3, because FNV's low bits mix badly. */
  #slotFor(subject: string): number {
    let hash = this.#seed
    for (let at = 0; at < subject.length; at++) {
      hash = Math.imul(hash ^ subject.charCodeAt(at), 0x01000193)
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return ((hash ^ (hash >>> 16)) >>> 0) % windowsMax
  }
}
