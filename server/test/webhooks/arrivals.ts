import assert from 'node:assert/strict'
import type { Event } from '../events/log-model.ts'
import { until } from '../support/until.ts'
import { isTest, type Received } from '../support/webhook-receiver.ts'

/** Endpoints by their path at the receiver, and the events that each subscribes to. */
export type Subscriptions = ReadonlyMap<string, (event: Event) => boolean>

/** How often each event arrived at each endpoint, by `path id`. */
export function countArrivals(received: readonly Received[], subscriptions: Subscriptions) {
  const counts = new Map<string, number>()
  for (const message of received) {
    if (!subscriptions.has(message.path) || isTest(message)) continue
    const key = `${message.path} ${message.id}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Waits until every event of the log has arrived at every endpoint that subscribes to it, and no other event has. */
export async function untilAllArrive(
  log: readonly Event[],
  subscriptions: Subscriptions,
  arrivals: () => Map<string, number>,
): Promise<Map<string, number>> {
  const expected = [...subscriptions].flatMap(([path, isSubscribed]) =>
    log.filter(isSubscribed).map(({ id }) => `${path} ${id}`),
  )
  // A delivery in flight when a process is killed is retried after its lease.
  await until(
    () => {
      const arrived = arrivals()
      return expected.every(key => arrived.has(key))
    },
    'every event arrives',
    240_000,
  )
  const arrived = arrivals()
  assert.deepEqual([...arrived.keys()].toSorted(), expected.toSorted())
  return arrived
}

export const repeatedIn = (arrived: ReadonlyMap<string, number>) =>
  [...arrived].filter(([, count]) => count > 1)
