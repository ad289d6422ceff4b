import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { bases } from '@chancery/contract'
import { readConfig, startServer } from '../../src/index.ts'
import type { ServerTimings } from '../../src/main.ts'
import type { Event } from './cases.ts'
import { type Opening, openStream, type StreamReader } from './stream-reader.ts'

/** One more server on a database, with times of its own. */
export interface StreamServer {
  url: string
  open(path: string, opening?: Opening): Promise<StreamReader>
  /** Of a metric: the sum over the labels that are not named. */
  count(name: string, labels?: Record<string, string>): Promise<number>
  close(): Promise<void>
}

export async function startStreamServer(
  t: TestContext,
  databaseUrl: string,
  { env = {}, ...timings }: ServerTimings & { env?: Record<string, string> } = {},
): Promise<StreamServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-streams-'))
  const operatorToken = 'operator-token-of-a-test'
  const config = readConfig({
    CHANCERY_HOST: '127.0.0.1',
    CHANCERY_PORT: '0',
    CHANCERY_OPERATOR_PORT: '0',
    CHANCERY_ADMIN_TOKEN: operatorToken,
    CHANCERY_DATA_DIR: dataDir,
    CHANCERY_DATABASE_URL: databaseUrl,
    CHANCERY_ANONYMOUS_LIMIT: '1000000',
    CHANCERY_KEY_LIMIT: '1000000',
    CHANCERY_STREAMS_PER_KEY: '1000000',
    CHANCERY_STREAMS_PER_IP: '1000000',
    CHANCERY_LOG_LEVEL: 'silent',
    ...env,
  })
  const server = await startServer(config, timings)
  t.after(async () => {
    await server.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  return {
    url: server.publicUrl,
    open: (path, opening) => openStream(server.publicUrl + bases.canonical + path, opening),
    async count(name, labels = {}) {
      const headers = { authorization: `Bearer ${operatorToken}` }
      const text = await (await fetch(`${server.operatorUrl}/metrics`, { headers })).text()
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

/** Asks until something holds. */
export async function eventually(holds: () => boolean | Promise<boolean>, what: string, limitMs = 5_000) {
  const start = performance.now()
  while (!(await holds())) {
    if (performance.now() - start > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/** What a frame of a list's event is, byte for byte. */
export const frameOf = (event: Event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`

/** Something of the game's own that happened. */
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
