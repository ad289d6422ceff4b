import { join } from 'node:path'
import type { Profile } from '@chancery/contract'
import type { ComparisonDocument, Config, ConfigDefaults, RunningServer } from '@chancery/server'
import { CommandError } from './command-error.ts'
import type { Stop } from './stop.ts'

/** Loaded only by the commands that run the server: the others start faster. */
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

/** Names of the applied migrations. */
export async function migrateService(config: Config): Promise<string[]> {
  const { migrateDatabase } = await loadServer()
  return explained(() => migrateDatabase(config))
}

/** The changes if the configured database were served with a profile. */
export async function compareProfile(config: Config, profile: Profile): Promise<ComparisonDocument> {
  const { compareWithDatabase } = await loadServer()
  return explained(() => compareWithDatabase(config, profile))
}

/** Runs `work` until it is done and a stop is requested, then closes the service. Throws if the service ends by itself. */
export async function whileRunning(
  service: RunningServer,
  { signal, requested }: Stop,
  work: () => Promise<void>,
): Promise<void> {
  let isStopping = false
  const ended = service.closed.then(() => {
    if (!isStopping) throw new CommandError('the service ended unexpectedly: see its log')
  })
  try {
    await Promise.race([signal.aborted ? requested : work().then(() => requested), ended])
  } catch (err) {
    if (!signal.aborted) throw err
  } finally {
    isStopping = true
    await service.close()
  }
}

/** Turns startup errors, which say what to do, into CommandErrors. Others are defects and keep their stack. */
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

/** The file or variable that holds the operator token. */
export const tokenLocation = ({ adminToken, dataDir }: Config): string =>
  adminToken === undefined ? join(dataDir, 'operator-token') : 'CHANCERY_ADMIN_TOKEN'
