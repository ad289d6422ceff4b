import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { listen } from '../../src/event-stream.ts'
import { expectError, expectItems } from '../../src/expect.ts'
import { digNumber } from '../../src/json.ts'
import { lacking, promise } from '../../src/promise.ts'
import type { Scene } from '../../src/scene.ts'
import { onBothBases } from '../../src/visit.ts'

const told = 5

export function eventStream({ visit }: Scene): void {
  /** The last events of the log, oldest first. */
  async function latest(base: string) {
    const events = expectItems(await visit.ask(`${base}/events?limit=${told}`)).toReversed()
    if (events.length < told) lacking(`the world has fewer than ${told} events`)
    return { events, before: digNumber(events[0], 'seq') - 1 }
  }

  const stream = (path: string, headers: Record<string, string> = {}) => {
    const url = visit.settings.baseUrl + path
    return listen(url, visit.ownKey ? { authorization: `Bearer ${visit.ownKey}`, ...headers } : headers, told)
  }

  describe('6. Events, as they happen', () => {
    promise('GET /events/stream tells as server-sent events what /events tells', () =>
      onBothBases(async base => {
        const { events, before } = await latest(base)
        const streamed = await stream(`${base}/events/stream?after=${before}`)
        assert.deepEqual([streamed.status, streamed.contentType], [200, 'text/event-stream'])
        assert.deepEqual(
          streamed.events,
          events.map(event => ({ id: String(event.seq), data: event })),
        )
      }),
    )

    promise('a reader resumes with Last-Event-ID, whatever the URL says', () =>
      onBothBases(async base => {
        const { events, before } = await latest(base)
        const headers = { 'last-event-id': String(before) }
        const streamed = await stream(`${base}/events/stream?after=${before + told}`, headers)
        assert.deepEqual(
          streamed.events.map(({ data }) => data),
          events,
        )
      }),
    )

    promise('an id that the log does not hold is told, and one that is none is refused', () =>
      onBothBases(async base => {
        const ask = (id: string) => visit.ask(`${base}/events/stream`, { headers: { 'last-event-id': id } })
        expectError(await ask('9007199254740991'), 410, 'cursor_expired')
        assert.match(expectError(await ask('newest'), 400, 'invalid_parameter'), /Last-Event-ID/)
      }),
    )
  })
}
