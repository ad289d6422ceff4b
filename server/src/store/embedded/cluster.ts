import { createHash, randomBytes } from 'node:crypto'
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Binaries, cannotRunError, whyNotRunnable } from './binaries.ts'
import { diskFullError, EmbeddedError, unlessMissing } from './errors.ts'
import type { Host } from './host.ts'
import { describeFailure, listProcesses, run, sendSignal } from './processes.ts'
import { canReach, chownTo, makeRootDirectory, openRootState, type ServerUser } from './server-user.ts'

/** PostgreSQL's own directory: `postgres` in the data directory, or where a symbolic link of that name points. */
export interface Cluster {
  /** The real path. */
  dir: string
  /** The server's cluster_name, with which the titles of its processes begin. */
  name: string
  /** Undefined until the cluster is created. */
  owner: { uid: number; gid: number } | undefined
}

/** Finds the cluster without changing anything. Throws if the directory contains something else, or a cluster of another major version. */
export async function findCluster(dataDir: string, major: string): Promise<Cluster> {
  const path = join(dataDir, 'postgres')
  const entry = await unlessMissing(lstat(path))
  const dir = entry?.isSymbolicLink() ? await followLink(path, entry.uid) : path
  const found = await unlessMissing(readdir(dir))
  // A first start that was killed leaves at most an empty directory.
  if (!found || found.length === 0) return cluster(dir, undefined)
  const version = (await unlessMissing(readFile(join(dir, 'PG_VERSION'), 'utf8')))?.trim()
  if (version === undefined)
    throw new EmbeddedError(`${dir} holds something other than a PostgreSQL database: move it away`)
  if (version !== major)
    throw new EmbeddedError(
      `${dir} was made by PostgreSQL ${version}, and this Chancery brings PostgreSQL ${major}: run chancery backup with the Chancery that made it and chancery restore with this one, or set CHANCERY_DATABASE_URL to a PostgreSQL ${version} of your own`,
    )
  return cluster(dir, await stat(dir))
}

async function followLink(link: string, linkUid: number): Promise<string> {
  const target = resolve(dirname(link), await readlink(link))
  const found = await unlessMissing(stat(target))
  // Otherwise the owner of the data directory could make root run another user's database.
  if (process.geteuid?.() === 0 && linkUid !== 0 && found && found.uid !== linkUid)
    throw new EmbeddedError(`${link} points to ${target}, which belongs to another user: remove the link`)
  if (found) return realpath(target)
  const parent = await unlessMissing(realpath(dirname(target)))
  if (parent === undefined)
    throw new EmbeddedError(
      `${link} points to ${target}, which does not exist: restore it, or remove the link to start with an empty database`,
    )
  return join(parent, basename(target))
}

function cluster(dir: string, owner: Cluster['owner']): Cluster {
  const hash = createHash('sha256').update(dir).digest('hex').slice(0, 16)
  return { dir, name: `chancery-${hash}`, owner: owner && { uid: owner.uid, gid: owner.gid } }
}

/** Returns the cluster, or, if the server's user cannot reach a new one, a cluster elsewhere with a link to it. */
export async function ensureAccessible(
  host: Host,
  dataDir: string,
  wanted: Cluster,
  user: ServerUser | undefined,
  log: (message: string) => void,
): Promise<Cluster> {
  if (!user || (await canReach(user, wanted.owner ? wanted.dir : dirname(wanted.dir)))) return wanted
  const path = join(dataDir, 'postgres')
  if (wanted.owner || wanted.dir !== path)
    throw new EmbeddedError(
      `user ${user.name}, as which PostgreSQL runs, cannot reach ${wanted.dir}: make the directories above it accessible to others (chmod o+x), or move it`,
    )
  const dir = join(await makeClusterHome(host, user), 'postgres')
  await unlessMissing(rmdir(path))
  await symlink(dir, path)
  log(`${path} is a link to ${dir}: user ${user.name}, as which PostgreSQL runs, cannot reach ${dataDir}`)
  return cluster(dir, undefined)
}

export interface CreateOptions {
  cluster: Cluster
  binaries: Binaries
  user: ServerUser | undefined
  /** The superuser's password if the server listens on loopback, else undefined. */
  password: string | undefined
  fsync: boolean
}

const unfinishedPrefix = (cluster: Cluster) => `${cluster.dir}.new-`

/** The role that owns everything in the bundled server. */
export const superuser = 'chancery'

/** Creates the cluster in a temporary directory and renames it: a crash never leaves a partial cluster. */
export async function createCluster(options: CreateOptions): Promise<void> {
  const { cluster, user, fsync } = options
  const dir = unfinishedPrefix(cluster) + randomBytes(4).toString('hex')
  const passwordFile = `${dir}-password`
  try {
    await mkdir(dir)
    await chownTo(user, dir, 0o700)
    if (options.password !== undefined) {
      await writeFile(passwordFile, options.password, { mode: 0o600, flag: 'wx' })
      await chownTo(user, passwordFile, 0o600)
    }
    await initialize(options, dir, passwordFile)
    await rename(dir, cluster.dir)
    if (fsync && process.platform !== 'win32') await syncDirectory(dirname(cluster.dir))
  } finally {
    await rm(dir, { recursive: true, force: true })
    await rm(passwordFile, { force: true })
  }
}

async function initialize(options: CreateOptions, dir: string, passwordFile: string): Promise<void> {
  const { binaries, cluster, password } = options
  // C: bytewise comparison. The built-in provider converts case without the system's locales.
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  // Only the same user and root can reach the socket in its private directory.
  const access =
    password === undefined
      ? ['--auth-local=trust', '--auth-host=reject']
      : ['--auth-local=reject', '--auth-host=scram-sha-256', `--pwfile=${passwordFile}`]
  const args = ['-D', dir, '-U', superuser, '-E', 'UTF8', ...locale, ...access, '--no-instructions']
  if (!options.fsync) args.push('--no-sync')
  const outcome = await run(binaries.initdb, args, { user: options.user })
  if (outcome.status === 0) return
  if (outcome.output.includes('No space left on device')) throw diskFullError(dirname(cluster.dir))
  const reason = await whyNotRunnable(binaries, options.user)
  if (reason !== undefined) throw cannotRunError(reason)
  throw new EmbeddedError(
    `the database in ${cluster.dir} could not be created: initdb failed with ${describeFailure(outcome)}`,
  )
}

/** Removes the leftovers of a first start that was killed. Call it with the data directory's lock. */
export async function removeUnfinishedClusters(cluster: Cluster): Promise<void> {
  const parent = dirname(cluster.dir)
  const prefix = basename(unfinishedPrefix(cluster))
  const names = (await readdir(parent)).filter(name => name.startsWith(prefix))
  if (names.length === 0) return
  for (const { pid, command } of (await listProcesses()) ?? [])
    if (command.includes(`initdb -D ${unfinishedPrefix(cluster)}`)) sendSignal(pid, 'SIGKILL')
  // A backend of the killed initdb may still write for a moment.
  for (const name of names) {
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 20 })
  }
}

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a new, empty directory for a cluster. */
async function makeClusterHome(host: Host, user: ServerUser): Promise<string> {
  const clusters = join(await openRootState(host, user), 'clusters')
  await makeRootDirectory(clusters)
  const home = join(clusters, randomBytes(8).toString('hex'))
  await makeRootDirectory(home)
  return home
}
