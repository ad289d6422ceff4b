import { chmod, lchown, lstat, mkdir } from 'node:fs/promises'
import { EmbeddedError, isErrno } from './errors.ts'
import type { Host } from './host.ts'
import { run } from './processes.ts'

/** Another user than ours, as which PostgreSQL runs. */
export interface ServerUser {
  uid: number
  gid: number
  name: string
}

interface Owner {
  uid: number
  gid: number
}

// macOS calls its own _postgres.
const candidateNames = ['postgres', '_postgres', 'nobody']

/**
 * PostgreSQL refuses to run as root. It then runs as the owner of what is there already (the cluster,
 * else the data directory), else as an existing user without rights of its own.
 * Undefined: as ourselves.
 */
export async function chooseServerUser(
  host: Host,
  clusterOwner: Owner | undefined,
  dataDirOwner: Owner,
): Promise<ServerUser | undefined> {
  if (process.geteuid?.() !== 0) return undefined
  const users = parseUsers(await host.readUsers())
  const { uid, gid } = clusterOwner ?? dataDirOwner
  if (uid !== 0) return users.find(user => user.uid === uid) ?? { uid, gid, name: `number ${uid}` }
  if (clusterOwner)
    throw new EmbeddedError(
      'the database belongs to root, and PostgreSQL does not run as root: give it to another user (chown -R postgres:)',
    )
  for (const name of candidateNames) {
    const user = users.find(candidate => candidate.name === name && candidate.uid > 0)
    if (user) return user
  }
  throw new EmbeddedError(
    'PostgreSQL does not run as root, and neither a user postgres nor nobody exists: start Chancery as an ordinary user',
  )
}

function parseUsers(passwd: string): ServerUser[] {
  return passwd.split('\n').flatMap(line => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}

/** Asks the system itself, as that user: mode bits know nothing of access lists. */
export async function canReach(user: ServerUser, dir: string): Promise<boolean> {
  const { status } = await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir], { user })
  return status === 0
}

/** Hands a file or directory that we made to the server's user, closed to all others. */
export async function chownTo(user: ServerUser | undefined, path: string, mode: number): Promise<void> {
  await chmod(path, mode)
  if (user) await lchown(path, user.uid, user.gid)
}

export async function openRootState(host: Host, user: ServerUser): Promise<string> {
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
export async function makeRootDirectory(dir: string): Promise<void> {
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

// As root, the clone or the data directory may lie where only root comes (/root/x). Nobody else's permissions
// are loosened for that: what the server's user must reach goes to a directory of root's that others may pass
// but not list, /var/lib/chancery:
//   postgresql-<version>/      a copy of the binaries, root's own, so that the server cannot change them
//   clusters/<random>/postgres the cluster; <data directory>/postgres is a symbolic link to it
// The name is random, not made from the data directory's path: a data directory that was removed and made again
// starts empty, and one that was moved keeps its cluster.
