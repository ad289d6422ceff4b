import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { startTestServer } from '../support/test-server.ts'
import type { Event } from './log-model.ts'
import { openStream } from './stream-reader.ts'

const chancery = closeAfter(await startTestServer())
await chancery.ingest([nation('n1', { nation_name: 'Number 0', national_score: 0 })])

const numberIn = (name: unknown) => Number(/^Number (\d+)$/.exec(`${name}`)?.[1])
const nameOf = ({ data }: Event) => (data.nation as { nation_name: string }).nation_name

/** Requests whose response has the name of the nation. Each is repeated, so that its response is cached. */
const reads: [path: string, nameIn: (data: never) => unknown][] = [
  ['/nations/n1', (data: { nation_name: string }) => data.nation_name],
  ['/nations?ids=n1', ([first]: { nation_name: string }[]) => first?.nation_name],
  ['/nations?search=number', ([first]: { nation_name: string }[]) => first?.nation_name],
  ['/events?type=nation.renamed&limit=1', ([first]: Event[]) => first && nameOf(first)],
]

test('a client that got an event by stream reads nothing older, though responses are cached', async () => {
  const stream = await openStream(`${chancery.url}/api/v1/events/stream?type=nation.renamed`)
  const renames = 15
  let isOver = false
  /** The newest name that the stream has sent. */
  const newest = () =>
    Math.max(
      0,
      ...stream
        .data()
        .slice(-1)
        .map(text => numberIn(nameOf(JSON.parse(text)))),
    )
  async function readOn([path, nameIn]: (typeof reads)[number]): Promise<void> {
    while (!isOver) {
      const known = newest()
      const { data } = await chancery.read<{ data: never }>(path)
      if (known > 0) assert.ok(numberIn(nameIn(data)) >= known, `${path} is older than ${known}`)
    }
  }
  const readers = Promise.all(reads.map(readOn))
  try {
    for (let number = 1; number <= renames; number += 1) {
      await chancery.ingest([nation('n1', { nation_name: `Number ${number}` })], { waits: false })
      await stream.until(({ data }) => data !== undefined && numberIn(nameOf(JSON.parse(data))) === number)
    }
  } finally {
    isOver = true
    stream.close()
    await readers
  }
})
