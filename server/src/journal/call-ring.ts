/** An answer, as the edge tells of it. There is no place for a path, a query or a key in it. */
export interface Answered {
  requestId: string
  /** The key that called; null without a valid one. */
  keyId: string | null
  /** Without a valid key: whose bucket the call counts in. */
  address: string
  /** The operation's id, or `none`. */
  operation: string
  status: number
  durationMs: number
}

/** A line of the journal. */
export interface Call extends Answered {
  /** When it was answered, in milliseconds of Unix time. */
  at: number
}

/** The newest calls, as many as there is room for. */
export interface CallRing {
  /** Notes a call. Where the ring is full the oldest one is lost. */
  note(answered: Answered, at: number): void
  /** Takes all of them out, oldest first. */
  take(): { calls: Call[]; lost: number }
}

const nothing: Call = {
  at: 0,
  requestId: '',
  keyId: null,
  address: '',
  operation: '',
  status: 0,
  durationMs: 0,
}

/** Its entries are made once and written over: noting a call makes no garbage. */
export function createCallRing(capacity: number): CallRing {
  const entries = Array.from({ length: capacity }, () => ({ ...nothing }))
  let next = 0
  let count = 0
  let lost = 0

  return {
    note(answered, at) {
      const entry = entries[next]
      if (!entry) return
      entry.at = at
      entry.requestId = answered.requestId
      entry.keyId = answered.keyId
      entry.address = answered.address
      entry.operation = answered.operation
      entry.status = answered.status
      entry.durationMs = answered.durationMs
      next = next + 1 === capacity ? 0 : next + 1
      if (count === capacity) lost += 1
      else count += 1
    },

    take() {
      const first = next - count
      const oldestFirst =
        first >= 0 ? entries.slice(first, next) : [...entries.slice(first), ...entries.slice(0, next)]
      const taken = { calls: oldestFirst.map(entry => ({ ...entry })), lost }
      count = 0
      lost = 0
      return taken
    },
  }
}
