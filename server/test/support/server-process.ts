import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerTimings } from '../../src/start/server.ts'
import { rejectOnEnd } from '../../src/store/embedded/processes.ts'
import { createTestDatabase } from './database.ts'
import { processEnv } from './process-env.ts'
import type { TestServer } from './test-server.ts'

/** What the serving process holds, garbage collected first. */
export interface Usage {
  residentBytes: number
  /** Heap, and buffers beside it. */
  usedBytes: number
  /** Processor time of the process so far. */
  cpuMs: number
}

/** A server in a process of its own, on a database of its own. */
export interface ServerProcess {
  url: string
  operatorUrl: string
  operatorToken: string
  databaseUrl: string
  usage(): Promise<Usage>
  /** Open file descriptors of the process, sockets among them. */
  openFiles(): number
  operate: TestServer['operate']
  close(): Promise<void>
}

const program = fileURLToPath(new URL('./forked-process.ts', import.meta.url))
const operatorToken = 'operator-token-of-a-test'

/** `env` overrides configuration. Limits are out of the way unless set. */
export async function startServerProcess(
  env: Record<string, string> = {},
  timings: ServerTimings = {},
): Promise<ServerProcess> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'chancery-test-'))
  const child = fork(program, {
    env: {
      ...processEnv,
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_ADMIN_TOKEN: operatorToken,
      CHANCERY_DATA_DIR: dataDir,
      CHANCERY_DATABASE_URL: database.url,
      CHANCERY_ANONYMOUS_LIMIT: '1000000',
      CHANCERY_KEY_LIMIT: '1000000',
      CHANCERY_LOG_LEVEL: 'silent',
      SERVER_TIMINGS: JSON.stringify(timings),
      ...env,
    },
  })
  const closed = once(child, 'close')
  const [addresses] = (await Promise.race([
    once(child, 'message'),
    rejectOnEnd(child, 'the server did not start'),
  ])) as [{ publicUrl: string; operatorUrl: string }]
  return {
    url: addresses.publicUrl,
    operatorUrl: addresses.operatorUrl,
    operatorToken,
    databaseUrl: database.url,
    async usage() {
      child.send('usage')
      const [{ usage }] = (await once(child, 'message')) as [{ usage: Usage }]
      return usage
    },
    openFiles: () => readdirSync(`/proc/${child.pid}/fd`).length,
    operate: (method, path, body, headers = {}) =>
      fetch(addresses.operatorUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${operatorToken}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async close() {
      child.send('close')
      await closed
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
