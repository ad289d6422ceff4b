import assert from 'node:assert/strict'
import type { Event } from '../events/cases.ts'
import type { TestServer } from '../support/test-server.ts'
import type { WebhookReceiver } from '../support/webhook-receiver.ts'

/** An endpoint by its path at the receiver, and what it wants of the log, in plain code. */
export type Wants = Map<string, (event: Event) => boolean>

/** The whole log, oldest first. */
export async function wholeLog({ url }: Pick<TestServer, 'url'>): Promise<Event[]> {
  const events: Event[] = []
  for (;;) {
    const response = await fetch(`${url}/api/v1/events?limit=100&after=${events.at(-1)?.seq ?? 0}`)
    assert.equal(response.status, 200)
    const { data } = (await response.json()) as { data: Event[] }
    if (data.length === 0) return events
    events.push(...data)
  }
}

/** Every (event, endpoint) pair that the log says should arrive, as `path id`. */
export function wantedPairs(log: readonly Event[], wants: Wants): Set<string> {
  const pairs = [...wants].flatMap(([path, isWanted]) =>
    log.filter(isWanted).map(({ id }) => `${path} ${id}`),
  )
  return new Set(pairs)
}

/** How often each pair came to the receiver. */
export function arrivedPairs(
  { received }: Pick<WebhookReceiver, 'received'>,
  wants: Wants,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { path, id } of received) {
    if (!wants.has(path) || id.startsWith('evt_test_')) continue
    const pair = `${path} ${id}`
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  return counts
}

/** Those of one that are not in the other. */
export const missingFrom = (wanted: Iterable<string>, arrived: ReadonlyMap<string, number>): string[] =>
  [...wanted].filter(pair => !arrived.has(pair))
