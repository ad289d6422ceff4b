import { randomBytes } from 'node:crypto'
import { chmod, cp, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Binaries, cannotRunError, openBinaries, whyNotRunnable } from './binaries.ts'
import { EmbeddedError } from './embedded-error.ts'
import { isErrno } from './errno.ts'
import type { Host } from './host.ts'
import { canReach, type ServerUser } from './server-user.ts'

// As root, the clone or the data directory may lie where only root comes (/root/x). Nobody else's permissions
// are loosened for that: what the server's user must reach goes to a directory of root's that others may pass
// but not list, /var/lib/chancery:
//   postgresql-<version>/      a copy of the binaries, root's own, so that the server cannot change them
//   clusters/<random>/postgres the cluster; <data directory>/postgres is a symbolic link to it
// The name is random, not made from the data directory's path: a data directory that was removed and made again
// starts empty, and one that was moved keeps its cluster.

/** The binaries, or a copy of them that the user can run. */
export async function reachableBinaries(
  host: Host,
  binaries: Binaries,
  user?: ServerUser,
): Promise<Binaries> {
  if (!user) return binaries
  const reason = await whyNotRunnable(binaries, user)
  if (reason === undefined) return binaries
  const own = await whyNotRunnable(binaries)
  if (own !== undefined) throw cannotRunError(own)
  const state = await openRootState(host, user)
  const copy = join(state, `postgresql-${binaries.version}-${process.arch}`)
  await copyBinaries(binaries.root, copy)
  const copied = await openBinaries(copy)
  const still = await whyNotRunnable(copied, user)
  if (still !== undefined)
    throw new EmbeddedError(`user ${user.name} cannot run ${copied.postgres}: ${still}`)
  return copied
}

/** A new, empty place for a cluster. */
export async function makeClusterHome(host: Host, user: ServerUser): Promise<string> {
  const clusters = join(await openRootState(host, user), 'clusters')
  await makeRootDirectory(clusters)
  const home = join(clusters, randomBytes(8).toString('hex'))
  await makeRootDirectory(home)
  return home
}

async function openRootState(host: Host, user: ServerUser): Promise<string> {
  let refusal: unknown
  for (const dir of host.rootStateDirs) {
    try {
      await makeRootDirectory(dir)
      if (await canReach(user, dir)) return dir
    } catch (err) {
      refusal = err
    }
  }
  const why = refusal instanceof Error ? ` (${refusal.message})` : ''
  throw new EmbeddedError(
    `user ${user.name}, as which PostgreSQL runs, reaches none of ${host.rootStateDirs.join(', ')}${why}: start Chancery as an ordinary user`,
  )
}

/** A directory of root's own that others may pass. What somebody else could have put there is refused. */
async function makeRootDirectory(dir: string): Promise<void> {
  try {
    await mkdir(dir)
    await chmod(dir, 0o711)
  } catch (err) {
    if (!isErrno(err) || err.code !== 'EEXIST') throw err
  }
  const found = await lstat(dir)
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0)
    throw new EmbeddedError(`${dir} is not a directory that only root writes`)
}

async function copyBinaries(from: string, to: string): Promise<void> {
  const isThere = await lstat(to).then(
    () => true,
    () => false,
  )
  if (isThere) return makeRootDirectory(to)
  const half = `${to}.${randomBytes(4).toString('hex')}`
  try {
    await makeRootDirectory(half)
    await cp(join(from, 'package.json'), join(half, 'package.json'))
    await cp(join(from, 'native'), join(half, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: source => !source.endsWith('.a'),
    })
    await openUp(half)
    await rename(half, to)
  } catch (err) {
    await rm(half, { recursive: true, force: true })
    // Another Chancery was quicker.
    if (!isErrno(err) || (err.code !== 'ENOTEMPTY' && err.code !== 'EEXIST')) throw err
  }
}

/** The copy is ours, and readable by everyone whatever the umask of the installation was. */
async function openUp(dir: string): Promise<void> {
  await chmod(dir, 0o755)
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) await openUp(path)
    else if (entry.isFile()) await chmod(path, basename(dir) === 'bin' ? 0o755 : 0o644)
  }
}
