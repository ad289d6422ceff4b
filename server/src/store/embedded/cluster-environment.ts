import { stat } from 'node:fs/promises'
import { type Binaries, openBinaries, reachableBinaries } from './binaries.ts'
import {
  type Cluster,
  createCluster,
  ensureAccessible,
  findCluster,
  removeUnfinishedClusters,
} from './cluster.ts'
import type { Host } from './host.ts'
import type { ServerSettings } from './server-process.ts'
import { chooseServerUser, type ServerUser } from './server-user.ts'
import { openPassword } from './socket.ts'

/** A cluster and everything needed to run it. */
export interface ClusterEnvironment {
  host: Host
  /** The real path. */
  dataDir: string
  cluster: Cluster
  binaries: Binaries
  /** Undefined: the current user. */
  user: ServerUser | undefined
  /** Undefined if the server listens on a Unix socket. */
  password: string | undefined
  settings: ServerSettings
  log: (message: string) => void
}

/** Creates what is missing. Call it with the data directory's lock. */
export async function prepareEnvironment(
  host: Host,
  dataDir: string,
  settings: ServerSettings,
  log: (message: string) => void,
): Promise<ClusterEnvironment> {
  const shipped = await openBinaries(host.findPackage())
  const found = await findCluster(dataDir, shipped.major)
  const user = await chooseServerUser(host, found.owner, await stat(dataDir))
  const cluster = await ensureAccessible(host, dataDir, found, user, log)
  const binaries = await reachableBinaries(host, shipped, user)
  const password = await openPassword(host, dataDir)
  await removeUnfinishedClusters(cluster)
  if (!cluster.owner) {
    log(`creating a PostgreSQL ${binaries.major} database in ${cluster.dir}`)
    await createCluster({ cluster, binaries, user, password, fsync: settings.fsync })
  }
  return { host, dataDir, cluster, binaries, user, password, settings, log }
}
