import { randomInt } from 'node:crypto'
import { fnv1a } from './fnv1a.ts'

/** A table of windows, by slot. */
export interface WindowTable {
  /** The slot of the subject's running window, or `noSlot`. */
  find(subject: string, now: number): number
  /** Begins a window for a subject that has none running. */
  open(subject: string, endsAt: number): number
  countOf(slot: number): number
  endOf(slot: number): number
  increment(slot: number): void
}

export const noSlot = -1

const capacityMin = 1024

/** A request begins at most one window, so dropping more than one per request catches up with any flood. */
const dropsPerCall = 64

/**
 * One window per subject. All have the same length on a monotonic clock, so they end in the order in which they begin: a ring that drops
 * windows from its head needs no timer and no search. Plain arrays hold a million windows in about 100 MB; an object and a timer for each
 * would take six times that.
 */
export class WindowRing implements WindowTable {
  /** Slots are numbered in order of beginning and never reused; the ring keeps slot n at n modulo its size. */
  readonly #slotOf = new Map<string, number>()
  #subjects: string[] = new Array<string>(capacityMin).fill('')
  #counts = new Uint32Array(capacityMin)
  #endsAt = new Float64Array(capacityMin)
  #mask = capacityMin - 1
  #head = 0
  #tail = 0
  readonly #subjectsMax: number

  constructor(subjectsMax: number) {
    this.#subjectsMax = subjectsMax
  }

  get size(): number {
    return this.#slotOf.size
  }

  get isFull(): boolean {
    return this.#tail - this.#head >= this.#subjectsMax
  }

  find(subject: string, now: number): number {
    const slot = this.#slotOf.get(subject)
    return slot !== undefined && this.endOf(slot) > now ? slot : noSlot
  }

  open(subject: string, endsAt: number): number {
    if (this.#tail - this.#head > this.#mask) this.#resize((this.#mask + 1) * 2)
    const slot = this.#tail++
    const index = slot & this.#mask
    this.#subjects[index] = subject
    this.#counts[index] = 0
    this.#endsAt[index] = endsAt
    this.#slotOf.set(subject, slot)
    return slot
  }

  countOf(slot: number): number {
    return this.#counts[slot & this.#mask] ?? 0
  }

  endOf(slot: number): number {
    return this.#endsAt[slot & this.#mask] ?? 0
  }

  increment(slot: number): void {
    const index = slot & this.#mask
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
  }

  /** Drops some of the windows that have ended. */
  dropEnded(now: number): void {
    for (let drops = 0; drops < dropsPerCall && this.#head < this.#tail; drops++) {
      if (this.endOf(this.#head) > now) break
      const index = this.#head & this.#mask
      const subject = this.#subjects[index] ?? ''
      // The subject may have a newer slot.
      if (this.#slotOf.get(subject) === this.#head) this.#slotOf.delete(subject)
      this.#subjects[index] = ''
      this.#head++
    }
    const capacity = this.#mask + 1
    if (capacity > capacityMin && this.#tail - this.#head < capacity / 8) this.#resize(capacity / 2)
  }

  clear(): void {
    this.#slotOf.clear()
    this.#head = this.#tail
    this.#resize(capacityMin)
  }

  #resize(capacity: number): void {
    const mask = capacity - 1
    const subjects = new Array<string>(capacity).fill('')
    const counts = new Uint32Array(capacity)
    const endsAt = new Float64Array(capacity)
    for (let slot = this.#head; slot < this.#tail; slot++) {
      subjects[slot & mask] = this.#subjects[slot & this.#mask] ?? ''
      counts[slot & mask] = this.countOf(slot)
      endsAt[slot & mask] = this.endOf(slot)
    }
    this.#subjects = subjects
    this.#counts = counts
    this.#endsAt = endsAt
    this.#mask = mask
  }
}

/** 12 MB. A flood of 100,000 new addresses a second puts some 6 calls a minute into each window. */
const windowsMax = 2 ** 20

/**
 * The windows of subjects that arrive while the ring is full. Eviction would reset running counts, so that a flood buys an attacker fresh
 * windows; rejection would lock every client out. Here subjects share windows by hash: none exceeds its limit, and few lose requests to
 * others. The hash is seeded, so that an attacker cannot choose whose window to use up.
 */
export class OverflowBuckets implements WindowTable {
  #counts = new Uint32Array(0)
  #endsAt = new Float64Array(0)
  #lastEnd = 0
  readonly #seed = randomInt(2 ** 32)

  /** Running windows are also found after the ring has room again: their subjects stay until they end. */
  find(subject: string, now: number): number {
    if (this.#lastEnd <= now) return noSlot
    const slot = this.#slotFor(subject)
    return this.endOf(slot) > now ? slot : noSlot
  }

  open(subject: string, endsAt: number): number {
    // Allocated on first use, which most servers never need.
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

  /** FNV-1a with the finishing steps of MurmurHash3. */
  #slotFor(subject: string): number {
    let hash = fnv1a(subject, this.#seed)
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return ((hash ^ (hash >>> 16)) >>> 0) % windowsMax
  }
}
