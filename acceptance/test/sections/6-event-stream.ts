import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { onBothBases } from '../../src/client.ts'
import { expectError, expectItems } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { digNumber } from '../../src/json.ts'
import { skip, specTest } from '../../src/spec-test.ts'

const told = 5

export function eventStream({ client }: Fixture): void {
  /** The last events of the log, oldest first. */
  async function latest(base: string) {
    const events = expectItems(await client.request(`${base}/events?limit=${told}`)).toReversed()
    if (events.length < told) skip(`the world has fewer than ${told} events`)
    return { events, before: digNumber(events[0], 'seq') - 1 }
  }

  const stream = (path: string, headers: Record<string, string> = {}) => {
    const url = client.settings.baseUrl + path
    return readStream(
      url,
      client.ownKey ? { authorization: `Bearer ${client.ownKey}`, ...headers } : headers,
      told,
    )
  }

  describe('6. Events, as they happen', () => {
    specTest('GET /events/stream tells as server-sent events what /events tells', () =>
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

    specTest('a reader resumes with Last-Event-ID, whatever the URL says', () =>
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

    specTest('an id that the log does not hold is told, and one that is none is refused', () =>
      onBothBases(async base => {
        const ask = (id: string) =>
          client.request(`${base}/events/stream`, { headers: { 'last-event-id': id } })
        expectError(await ask('9007199254740991'), 410, 'cursor_expired')
        assert.match(expectError(await ask('newest'), 400, 'invalid_parameter'), /Last-Event-ID/)
      }),
    )
  })
}

/** The beginning of a stream of server-sent events. */
interface StreamResponse {
  status: number
  contentType: string | null
  /** Of every event: its id, and what its data parses to. */
  events: { id: string; data: unknown }[]
}

const timeoutMs = 20_000

/** Reads a stream until it has told so many events, and hangs up. */
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
