import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink, realpath, rmdir, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { EmbeddedError } from './embedded-error.ts'
import { unlessMissing } from './errno.ts'
import type { Host } from './host.ts'
import { makeClusterHome } from './root-state.ts'
import { canReach, type ServerUser } from './server-user.ts'

/** PostgreSQL's own directory: `postgres` in the data directory, or where a symbolic link of that name points. */
export interface Cluster {
  /** The real path. */
  dir: string
  /** The server's cluster_name, and so the beginning of its processes' titles. */
  name: string
  /** Undefined while the cluster is not made. */
  owner: { uid: number; gid: number } | undefined
}

/** Finds the cluster without changing anything, and refuses what is not one of ours to run. */
export async function findCluster(dataDir: string, major: string): Promise<Cluster> {
  const path = join(dataDir, 'postgres')
  const entry = await unlessMissing(lstat(path))
  const dir = entry?.isSymbolicLink() ? await followLink(path, entry.uid) : path
  const found = await unlessMissing(readdir(dir))
  // A kill in the middle of the first start leaves an empty directory at the most.
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
  // Root would else run the database of whomever the data directory's owner points at.
  if (process.geteuid?.() === 0 && linkUid !== 0 && found && found.uid !== linkUid)
    throw new EmbeddedError(`${link} points to ${target}, which belongs to another user: remove the link`)
  if (found) return realpath(target)
  const parent = await unlessMissing(realpath(dirname(target)))
  if (parent === undefined)
    throw new EmbeddedError(
      `${link} points to ${target}, which is not there: bring it back, or remove the link to begin with an empty database`,
    )
  return join(parent, basename(target))
}

function cluster(dir: string, owner: Cluster['owner']): Cluster {
  const hash = createHash('sha256').update(dir).digest('hex').slice(0, 16)
  return { dir, name: `chancery-${hash}`, owner: owner && { uid: owner.uid, gid: owner.gid } }
}

/** The same cluster, or one at a place that the server's user can reach, with a link to it. */
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
      `user ${user.name}, as which PostgreSQL runs, does not get to ${wanted.dir}: let others pass the directories above it (chmod o+x), or move it`,
    )
  const dir = join(await makeClusterHome(host, user), 'postgres')
  await unlessMissing(rmdir(path))
  await symlink(dir, path)
  log(`${path} is a link to ${dir}: user ${user.name}, as which PostgreSQL runs, does not get to ${dataDir}`)
  return cluster(dir, undefined)
}
