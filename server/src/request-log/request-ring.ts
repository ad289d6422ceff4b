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

/** The requests that are logged, each list oldest first, and how many are not. */
export interface RequestSample {
  ofKeys: LoggedRequest[]
  ofAddresses: LoggedRequest[]
  droppedCount: number
}

/** Of an id that a trusted proxy has sent (`http/request-id.ts`). */
const idLengthMax = 64

/**
 * A ring buffer of the newest requests, one preallocated array per column. Ids are kept as bytes: each string would live long enough to be
 * moved to the old generation, which V8 then collects every few seconds under load.
 */
export function createRequestRing(capacity: number) {
  const ats = new Float64Array(capacity)
  const durationsMs = new Float64Array(capacity)
  const statuses = new Uint16Array(capacity)
  const ids = Buffer.alloc(capacity * idLengthMax)
  const idLengths = new Uint8Array(capacity)
  const keyIds = new Array<string | null>(capacity).fill(null)
  const addresses = new Array<string>(capacity).fill('')
  const operations = new Array<string>(capacity).fill('')
  const errorCodes = new Array<string | null>(capacity).fill(null)
  const errorParameters = new Array<string | null>(capacity).fill(null)
  let next = 0
  let count = 0
  let lost = 0

  const requestAt = (index: number): LoggedRequest => ({
    at: ats[index] ?? 0,
    requestId: ids.toString('latin1', index * idLengthMax, index * idLengthMax + (idLengths[index] ?? 0)),
    keyId: keyIds[index] ?? null,
    address: addresses[index] ?? '',
    operation: operations[index] ?? '',
    status: statuses[index] ?? 0,
    durationMs: durationsMs[index] ?? 0,
    errorCode: errorCodes[index] ?? null,
    errorParameter: errorParameters[index] ?? null,
  })

  return {
    /** Adds a request. A full ring loses the oldest one. */
    add(served: ServedRequest, at: number): void {
      const { requestId, keyId, address, operation, status, durationMs, errorCode, errorParameter } = served
      ats[next] = at
      durationsMs[next] = durationMs
      statuses[next] = status
      idLengths[next] = ids.write(requestId, next * idLengthMax, idLengthMax, 'latin1')
      keyIds[next] = keyId
      addresses[next] = address
      operations[next] = operation
      errorCodes[next] = errorCode
      errorParameters[next] = errorParameter
      next = next + 1 === capacity ? 0 : next + 1
      if (count === capacity) lost += 1
      else count += 1
    },

    /** Removes all of them, and returns at most `rowsMax`. */
    take(rowsMax: number): RequestSample {
      const oldest = next - count + capacity
      const indexes = Array.from({ length: count }, (_, offset) => (oldest + offset) % capacity)
      const chosen = sample(
        indexes.map(index => keyIds[index] ?? null),
        rowsMax,
      )
      const [ofKeys, ofAddresses] = chosen.map(offsets =>
        offsets.map(offset => requestAt(indexes[offset] ?? 0)),
      ) as [LoggedRequest[], LoggedRequest[]]
      const droppedCount = lost + count - ofKeys.length - ofAddresses.length
      count = 0
      lost = 0
      return { ofKeys, ofAddresses, droppedCount }
    },
  }
}

/** Rows of one key per write: as many as a player is shown. */
const requestsPerKeyMax = 200

/**
 * Fair sampling: takes the newest requests of all keys round-robin, so that no key displaces another. Requests without a key get the
 * remaining room. Takes the keys of all requests, and returns the positions of those with and without a key.
 */
function sample(keyIds: readonly (string | null)[], max: number): [ofKeys: number[], ofAddresses: number[]] {
  const taken = new Map<string, number>()
  const rounds: number[][] = []
  const anonymous: number[] = []
  for (let position = keyIds.length - 1; position >= 0; position -= 1) {
    const keyId = keyIds[position] ?? null
    if (keyId === null) {
      anonymous.push(position)
      continue
    }
    const round = taken.get(keyId) ?? 0
    taken.set(keyId, round + 1)
    if (round >= requestsPerKeyMax) continue
    rounds[round] ??= []
    rounds[round].push(position)
  }
  const ofKeys = rounds.flat().slice(0, max)
  return [ofKeys.sort((one, other) => one - other), anonymous.slice(0, max - ofKeys.length).reverse()]
}
