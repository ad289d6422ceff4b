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
import { type Operate, operateAt } from './operator-client.ts'
import { processEnv } from './process-env.ts'

/** What the serving process uses, after a garbage collection. */
export interface Usage {
  residentBytes: number
  /** Heap, and buffers beside it. */
  usedBytes: number
  /** Processor time of the process so far. */
  cpuMs: number
}

/** A server in a process of its own, of which every written byte is captured. */
export interface ServerProcess {
  url: string
  operatorUrl: string
  operatorToken: string
  dataDir: string
  databaseUrl: string
  usage(): Promise<Usage>
  /** The number of open file descriptors of the process, sockets among them. */
  openFiles(): number
  operate: Operate
  /** Everything that the process has written to standard output and standard error. */
  written(): string
  /** Resolves when the process has exited. */
  close(): Promise<void>
}

export interface ServerProcessOptions {
  timings?: ServerTimings
  /** An existing database and data directory, which stay; default: new ones, which are removed with the server. */
  databaseUrl?: string
  dataDir?: string
}

const program = fileURLToPath(new URL('./forked-process.ts', import.meta.url))

/** `env` overrides configuration. Rate limits are out of the way unless set. */
export async function startServerProcess(
  env: Record<string, string> = {},
  { timings = {}, databaseUrl, dataDir }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const database = databaseUrl === undefined ? await createTestDatabase() : undefined
  const ownDir = dataDir === undefined ? await mkdtemp(join(tmpdir(), 'chancery-test-')) : undefined
  const variables = {
    CHANCERY_HOST: '127.0.0.1',
    CHANCERY_PORT: '0',
    CHANCERY_OPERATOR_PORT: '0',
    CHANCERY_ADMIN_TOKEN: 'operator-token-of-a-test',
    CHANCERY_DATA_DIR: dataDir ?? ownDir ?? '',
    CHANCERY_DATABASE_URL: databaseUrl ?? database?.url ?? '',
    CHANCERY_ANONYMOUS_LIMIT: '1000000',
    CHANCERY_KEY_LIMIT: '1000000',
    CHANCERY_LOG_LEVEL: 'silent',
    ...env,
  }
  const child = fork(program, {
    silent: true,
    env: { ...processEnv, SERVER_TIMINGS: JSON.stringify(timings), ...variables },
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', part => (written += part))
  const closed = once(child, 'close')
  const [addresses] = (await Promise.race([
    once(child, 'message'),
    rejectOnEnd(child, 'the server did not start'),
  ])) as [{ publicUrl: string; operatorUrl: string }]
  let closing: Promise<void> | undefined
  const close = async () => {
    if (child.connected) child.send('close')
    await closed
    await database?.drop()
    if (ownDir !== undefined) await rm(ownDir, { recursive: true, force: true })
  }
  return {
    url: addresses.publicUrl,
    operatorUrl: addresses.operatorUrl,
    operatorToken: variables.CHANCERY_ADMIN_TOKEN,
    dataDir: variables.CHANCERY_DATA_DIR,
    databaseUrl: variables.CHANCERY_DATABASE_URL,
    async usage() {
      child.send('usage')
      const [{ usage }] = (await once(child, 'message')) as [{ usage: Usage }]
      return usage
    },
    openFiles: () => readdirSync(`/proc/${child.pid}/fd`).length,
    operate: operateAt(addresses.operatorUrl, variables.CHANCERY_ADMIN_TOKEN),
    written: () => written,
    close() {
      closing ??= close()
      return closing
    },
  }
}
