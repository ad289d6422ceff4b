import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Profile } from '@chancery/contract'
import type { ServerTimings } from '../../src/start/server.ts'
import { rejectOnEnd } from '../../src/store/embedded/processes.ts'
import { createTestDatabase } from './database.ts'
import type { Usage } from './forked-process.ts'
import { type Operate, operateAt } from './operator-client.ts'
import { processEnv } from './serve-process.ts'
import { testConfig, writeProfile } from './test-server.ts'

/** A server in a process of its own, whose output is captured. */
export interface ServerProcess {
  url: string
  operatorUrl: string
  operatorToken: string
  dataDir: string
  databaseUrl: string
  /** The number of open file descriptors of the process, sockets among them. */
  openFiles(): number
  operate: Operate
  /** Standard output and standard error so far. */
  written(): string
  usage(): Promise<Usage>
  /** Resolves when the process has exited. */
  close(): Promise<void>
}

export interface ServerProcessOptions {
  timings?: ServerTimings
  /** Default: the demo's. */
  profile?: Profile
  /** An existing database and data directory, which are kept; default: new ones, which are removed with the server. */
  databaseUrl?: string
  dataDir?: string
}

const program = fileURLToPath(new URL('./forked-process.ts', import.meta.url))

/** `env` overrides configuration. Rate limits are high unless set. */
export async function startServerProcess(
  env: Record<string, string> = {},
  { timings = {}, profile, databaseUrl, dataDir }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const database = databaseUrl === undefined ? await createTestDatabase() : undefined
  const ownDir = dataDir === undefined ? await mkdtemp(join(tmpdir(), 'chancery-test-')) : undefined
  const directory = dataDir ?? ownDir ?? ''
  const gameFile = await writeProfile(directory, profile)
  const variables = testConfig(databaseUrl ?? database?.url ?? '', directory, { ...gameFile, ...env })
  const { CHANCERY_ADMIN_TOKEN: operatorToken } = variables
  const child = fork(program, {
    silent: true,
    env: { ...processEnv, TEST_TIMINGS: JSON.stringify(timings), ...variables },
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', part => (written += part))
  const closed = once(child, 'close')
  const [addresses] = (await Promise.race([
    once(child, 'message'),
    rejectOnEnd(child, 'the server did not start'),
  ])) as [{ public: string; operator: string }]
  let closing: Promise<void> | undefined
  const close = async () => {
    if (child.connected) child.send('close')
    await closed
    await database?.drop()
    if (ownDir !== undefined) await rm(ownDir, { recursive: true, force: true })
  }
  return {
    url: addresses.public,
    operatorUrl: addresses.operator,
    operatorToken,
    dataDir: variables.CHANCERY_DATA_DIR,
    databaseUrl: variables.CHANCERY_DATABASE_URL,
    async usage() {
      child.send('usage')
      const [{ usage }] = (await once(child, 'message')) as [{ usage: Usage }]
      return usage
    },
    openFiles: () => readdirSync(`/proc/${child.pid}/fd`).length,
    operate: operateAt(addresses.operator, operatorToken),
    written: () => written,
    close() {
      closing ??= close()
      return closing
    },
  }
}
