/** A place where windows are counted; a window is known by its slot. */
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
