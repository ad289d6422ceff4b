import type { LoggedRequest } from './request-ring.ts'

/** Calls that get a line, each list oldest first, and how many get none. */
export interface RequestSample {
  ofKeys: LoggedRequest[]
  ofAddresses: LoggedRequest[]
  droppedCount: number
}

/** How many calls of one key get a line at a time: as many as a player is shown. */
const requestsPerKeyMax = 200

/**
 * Chooses the calls that get a line: of each key the newest first, by turns, so that no key crowds out another. Calls without a
 * key get what room is left.
 */
export function sampleRequests(calls: readonly LoggedRequest[], max: number): RequestSample {
  const seen = new Map<string, number>()
  const turns: LoggedRequest[][] = []
  const anonymous: LoggedRequest[] = []
  for (const call of calls.toReversed()) {
    if (call.keyId === null) {
      anonymous.push(call)
      continue
    }
    const turn = seen.get(call.keyId) ?? 0
    seen.set(call.keyId, turn + 1)
    if (turn >= requestsPerKeyMax) continue
    turns[turn] ??= []
    turns[turn].push(call)
  }
  // Calls of one millisecond stay in their order.
  const ofKeys = turns.flat().slice(0, max).reverse()
  const ofAddresses = anonymous.slice(0, max - ofKeys.length).reverse()
  const leftOut = calls.length - ofKeys.length - ofAddresses.length
  return { ofKeys: ofKeys.sort((one, other) => one.at - other.at), ofAddresses, droppedCount: leftOut }
}
