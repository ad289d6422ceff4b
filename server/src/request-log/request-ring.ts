/** A served request. It has no member for a path, a query or a key. */
export interface ServedRequest {
  requestId: string
  /** Null without a valid key. */
  keyId: string | null
  /** The rate-limit address of a request without a valid key. */
  address: string
  /** The operation's id, or `none`. */
  operation: string
  status: number
  durationMs: number
  /** Whether the response had a Deprecation header. */
  isDeprecated: boolean
  /** The error code of the contract; null for a response that is not an error. */
  errorCode: string | null
  /** The parameter that the error is about, by its name in the contract; null for none. */
  errorParameter: string | null
}

/** A row of the request log. */
export interface LoggedRequest extends Omit<ServedRequest, 'isDeprecated'> {
  /** When it was served, in Unix milliseconds. */
  at: number
}

/** A ring buffer of the newest requests. One preallocated array per column: adding a request creates no garbage. */
export function createRequestRing(capacity: number) {
  const ats = new Float64Array(capacity)
  const durationsMs = new Float64Array(capacity)
  const statuses = new Uint16Array(capacity)
  const requestIds = new Array<string>(capacity).fill('')
  const keyIds = new Array<string | null>(capacity).fill(null)
  const addresses = new Array<string>(capacity).fill('')
  const operations = new Array<string>(capacity).fill('')
  const errorCodes = new Array<string | null>(capacity).fill(null)
  const errorParameters = new Array<string | null>(capacity).fill(null)
  let next = 0
  let count = 0
  let lost = 0

  return {
    /** Adds a request. A full ring loses the oldest one. */
    add(served: ServedRequest, at: number): void {
      const { requestId, keyId, address, operation, status, durationMs, errorCode, errorParameter } = served
      ats[next] = at
      durationsMs[next] = durationMs
      statuses[next] = status
      requestIds[next] = requestId
      keyIds[next] = keyId
      addresses[next] = address
      operations[next] = operation
      errorCodes[next] = errorCode
      errorParameters[next] = errorParameter
      next = next + 1 === capacity ? 0 : next + 1
      if (count === capacity) lost += 1
      else count += 1
    },

    /** Removes all of them, oldest first. */
    take(): { requests: LoggedRequest[]; lost: number } {
      const oldest = next - count + capacity
      const requests = Array.from({ length: count }, (_, offset): LoggedRequest => {
        const index = (oldest + offset) % capacity
        return {
          at: ats[index] ?? 0,
          requestId: requestIds[index] ?? '',
          keyId: keyIds[index] ?? null,
          address: addresses[index] ?? '',
          operation: operations[index] ?? '',
          status: statuses[index] ?? 0,
          durationMs: durationsMs[index] ?? 0,
          errorCode: errorCodes[index] ?? null,
          errorParameter: errorParameters[index] ?? null,
        }
      })
      const taken = { requests, lost }
      count = 0
      lost = 0
      return taken
    },
  }
}

/** The requests that are logged, each list oldest first, and how many are not. */
export interface RequestSample {
  ofKeys: LoggedRequest[]
  ofAddresses: LoggedRequest[]
  droppedCount: number
}

/** Rows of one key per write: as many as a player is shown. */
const requestsPerKeyMax = 200

/**
 * Fair sampling: takes the newest requests of all keys round-robin, so that no key displaces another. Requests without a key get the
 * remaining room.
 */
export function sampleRequests(requests: readonly LoggedRequest[], max: number): RequestSample {
  const taken = new Map<string, number>()
  const rounds: LoggedRequest[][] = []
  const anonymous: LoggedRequest[] = []
  for (const request of requests.toReversed()) {
    if (request.keyId === null) {
      anonymous.push(request)
      continue
    }
    const round = taken.get(request.keyId) ?? 0
    taken.set(request.keyId, round + 1)
    if (round >= requestsPerKeyMax) continue
    rounds[round] ??= []
    rounds[round].push(request)
  }
  // The sort is stable: requests of one millisecond keep their order.
  const ofKeys = rounds.flat().slice(0, max).reverse()
  const ofAddresses = anonymous.slice(0, max - ofKeys.length).reverse()
  const droppedCount = requests.length - ofKeys.length - ofAddresses.length
  return { ofKeys: ofKeys.sort((one, other) => one.at - other.at), ofAddresses, droppedCount }
}
