import { noSlot, type WindowTable } from './window-table.ts'

const capacityMin = 1024

/** A call begins at most one window, so dropping more than one per call catches up with any flood. */
const dropsPerCall = 64

/**
 * One window per subject. All last equally long on a clock that never steps back, so the order in which
 * they begin is the order in which they end: a ring, dropped from its head, needs no timer and no search.
 * Plain arrays hold a million windows in about 100 MB; an object and a timer for each take six times that.
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
    const place = slot & this.#mask
    this.#subjects[place] = subject
    this.#counts[place] = 0
    this.#endsAt[place] = endsAt
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
    const place = slot & this.#mask
    this.#counts[place] = (this.#counts[place] ?? 0) + 1
  }

  /** Drops some of the windows that have ended. */
  dropEnded(now: number): void {
    for (let drops = 0; drops < dropsPerCall && this.#head < this.#tail; drops++) {
      if (this.endOf(this.#head) > now) break
      const place = this.#head & this.#mask
      const subject = this.#subjects[place] ?? ''
      // A subject that came back has a newer slot by now.
      if (this.#slotOf.get(subject) === this.#head) this.#slotOf.delete(subject)
      this.#subjects[place] = ''
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
