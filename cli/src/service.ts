import { join } from 'node:path'
import type { Profile } from '@chancery/contract'
import type { Config, ConfigDefaults, ProfileComparison, RunningServer } from '@chancery/server'
import { CommandError } from './command-error.ts'
import type { Stop } from './stop.ts'

/** The server is loaded by the commands that run it alone: the others answer sooner. */
const loadServer = () => import('@chancery/server')

export async function readServiceConfig(
  env: NodeJS.ProcessEnv,
  defaults: Partial<ConfigDefaults>,
): Promise<Config> {
  const { readConfig } = await loadServer()
  return explained(async () => readConfig(env, defaults))
}

export async function startService(config: Config): Promise<RunningServer> {
  const { startServer } = await loadServer()
  return explained(() => startServer(config))
}

/** The names of the migrations that were applied. */
export async function migrateService(config: Config): Promise<string[]> {
  const { migrateDatabase } = await loadServer()
  return explained(() => migrateDatabase(config))
}

/** What it would mean to serve the configured database with a profile. */
export async function compareProfile(config: Config, profile: Profile): Promise<ProfileComparison> {
  const { compareWithDatabase } = await loadServer()
  return explained(() => compareWithDatabase(config, profile))
}

/** Runs `work` until it is done and a stop is asked for, then closes the service. Throws if the service ends by itself. */
export async function whileRunning(
  service: RunningServer,
  { signal, requested }: Stop,
  work: () => Promise<void>,
): Promise<void> {
  let isOurs = false
  const ended = service.closed.then(() => {
    if (!isOurs) throw new CommandError('the service ended by itself: its log says why')
  })
  try {
    await Promise.race([signal.aborted ? requested : work().then(() => requested), ended])
  } catch (err) {
    if (!signal.aborted) throw err
  } finally {
    isOurs = true
    await service.close()
  }
}

/** Failures at start say what to do in one line; anything else is a defect and keeps its stack. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    const { ConfigError, StartupError } = await loadServer()
    const isExpected =
      err instanceof ConfigError || err instanceof StartupError || isNamed(err, 'EmbeddedError')
    throw isExpected && err instanceof Error ? new CommandError(err.message) : err
  }
}

const isNamed = (err: unknown, name: string) => err instanceof Error && err.name === name

/** Where whoever needs the operator token finds it. */
export const tokenPlace = ({ adminToken, dataDir }: Config): string =>
  adminToken === undefined ? join(dataDir, 'operator-token') : 'CHANCERY_ADMIN_TOKEN'
