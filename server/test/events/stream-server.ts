import type { TestContext } from 'node:test'
import { bases } from '@chancery/contract'
import type { ServerTimings } from '../../src/start/server.ts'
import { longTimeouts, startTestServer, type TestServer } from '../support/test-server.ts'
import type { Event } from './log-model.ts'
import { type Opening, openStream, type StreamReader } from './stream-reader.ts'

/** Another server on a database, with timings of its own. */
export interface StreamServer {
  url: string
  open(path: string, opening?: Opening): Promise<StreamReader>
  /** The value of a metric, summed over the labels that are not given. */
  count(name: string, labels?: Record<string, string>): Promise<number>
  close(): Promise<void>
}

export async function startStreamServer(
  t: TestContext,
  databaseUrl: string,
  { env = {}, ...timings }: ServerTimings & { env?: Record<string, string> } = {},
): Promise<StreamServer> {
  const server = await startTestServer(env, { databaseUrl, timings: { ...longTimeouts, ...timings } })
  t.after(server.close)
  return streamsOf(server)
}

/** Opens streams of a server and reads their metrics. */
export function streamsOf(server: TestServer): StreamServer {
  return {
    url: server.url,
    open: (path, opening) => openStream(server.url + bases.canonical + path, opening),
    async count(name, labels = {}) {
      const text = await (await server.operate('GET', '/metrics')).text()
      const lines = text
        .split('\n')
        .filter(line => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
        .filter(line =>
          Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)),
        )
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    close: server.close,
  }
}

/** The frame of an event, byte for byte. */
export const frameOf = (event: Event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`

/** An event of the game. */
export const disaster = (nationId: string, more: object = {}) => ({
  op: 'event',
  data: {
    type: 'game.disaster',
    occurred_at: '2026-05-20T10:00:00Z',
    data: { disaster: 'flood', nation_id: nationId, severity: 2 },
    nation_ids: [nationId],
    ...more,
  },
})
