import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { onBothBases } from '../../src/client.ts'
import { expectError, expectItems } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { digNumber } from '../../src/json.ts'
import { skip, specTest } from '../../src/spec-test.ts'

const eventCount = 5

export function eventStream({ client }: Fixture): void {
  /** The last events of the log, oldest first. */
  async function latest(base: string) {
    const events = expectItems(await client.request(`${base}/events?limit=${eventCount}`)).toReversed()
    if (events.length < eventCount) skip(`the world has fewer than ${eventCount} events`)
    return { events, before: digNumber(events[0], 'seq') - 1 }
  }

  const stream = (path: string, headers: Record<string, string> = {}) => {
    const url = client.settings.baseUrl + path
    return readStream(
      url,
      client.ownKey ? { authorization: `Bearer ${client.ownKey}`, ...headers } : headers,
      eventCount,
    )
  }

  describe('6. Events, as they happen', () => {
    specTest('GET /events/stream sends the events of /events as server-sent events', () =>
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

    specTest('a client resumes with Last-Event-ID, even if the URL has another position', () =>
      onBothBases(async base => {
        const { events, before } = await latest(base)
        const headers = { 'last-event-id': String(before) }
        const streamed = await stream(`${base}/events/stream?after=${before + eventCount}`, headers)
        assert.deepEqual(
          streamed.events.map(({ data }) => data),
          events,
        )
      }),
    )

    specTest('an id outside the log is 410, and an invalid one 400', () =>
      onBothBases(async base => {
        const send = (id: string) =>
          client.request(`${base}/events/stream`, { headers: { 'last-event-id': id } })
        expectError(await send('9007199254740991'), 410, 'cursor_expired')
        assert.match(expectError(await send('newest'), 400, 'invalid_parameter'), /Last-Event-ID/)
      }),
    )
  })
}

/** The first events of a stream. */
interface StreamResponse {
  status: number
  contentType: string | null
  /** The id and the parsed data of each event. */
  events: { id: string; data: unknown }[]
}

const timeoutMs = 20_000

/** Reads this number of events of a stream, and closes it. */
async function readStream(
  url: string,
  headers: Record<string, string>,
  count: number,
): Promise<StreamResponse> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) })
  const events: StreamResponse['events'] = []
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const lines = block.split('\n')
      const [id, data] = ['id: ', 'data: '].map(name =>
        lines.find(line => line.startsWith(name))?.slice(name.length),
      )
      if (id !== undefined && data !== undefined) events.push({ id, data: JSON.parse(data) })
    }
    if (events.length >= count || response.status !== 200) break
  }
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    events: events.slice(0, count),
  }
}
