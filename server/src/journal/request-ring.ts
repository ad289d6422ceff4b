/** An answer, as the edge tells of it. There is no place for a path, a query or a key in it. */
export interface ServedRequest {
  requestId: string
  /** The key that called; null without a valid one. */
  keyId: string | null
  /** Without a valid key: whose bucket the call counts in. */
  address: string
  /** The operation's id, or `none`. */
  operation: string
  status: number
  durationMs: number
  /** Whether the answer said that something of it will go. */
  isDeprecated: boolean
}

/** A line of the journal. */
export interface LoggedRequest extends Omit<ServedRequest, 'isDeprecated'> {
  /** When it was answered, in milliseconds of Unix time. */
  at: number
}

/** The newest calls, as many as there is room for. */
export interface RequestRing {
  /** Notes a call. Where the ring is full the oldest one is lost. */
  add(answered: ServedRequest, at: number): void
  /** Takes all of them out, oldest first. */
  take(): { calls: LoggedRequest[]; lost: number }
}

/** Columns that are made once and written over: noting a call makes no garbage, and touches little memory. */
export function createRequestRing(capacity: number): RequestRing {
  const ats = new Float64Array(capacity)
  const durationsMs = new Float64Array(capacity)
  const statuses = new Uint16Array(capacity)
  const requestIds = new Array<string>(capacity).fill('')
  const keyIds = new Array<string | null>(capacity).fill(null)
  const addresses = new Array<string>(capacity).fill('')
  const operations = new Array<string>(capacity).fill('')
  let next = 0
  let count = 0
  let lost = 0

  return {
    add({ requestId, keyId, address, operation, status, durationMs }, at) {
      ats[next] = at
      durationsMs[next] = durationMs
      statuses[next] = status
      requestIds[next] = requestId
      keyIds[next] = keyId
      addresses[next] = address
      operations[next] = operation
      next = next + 1 === capacity ? 0 : next + 1
      if (count === capacity) lost += 1
      else count += 1
    },

    take() {
      const oldest = next - count + capacity
      const calls = Array.from({ length: count }, (_, offset): LoggedRequest => {
        const index = (oldest + offset) % capacity
        return {
          at: ats[index] ?? 0,
          requestId: requestIds[index] ?? '',
          keyId: keyIds[index] ?? null,
          address: addresses[index] ?? '',
          operation: operations[index] ?? '',
          status: statuses[index] ?? 0,
          durationMs: durationsMs[index] ?? 0,
        }
      })
      const taken = { calls, lost }
      count = 0
      lost = 0
      return taken
    },
  }
}
