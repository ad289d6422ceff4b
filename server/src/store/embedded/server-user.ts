import { chmod, lchown, lstat, mkdir } from 'node:fs/promises'
import { EmbeddedError, isErrno } from './errors.ts'
import type { Host } from './host.ts'
import { run } from './processes.ts'

/** The user that PostgreSQL runs as, if it is not the current one. */
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
 * PostgreSQL refuses to run as root. It then runs as the owner of the cluster or of the data directory, or, if root owns them, as an
 * unprivileged user. Undefined: as the current user.
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

/** Tries it as that user: mode bits do not show access lists. */
export async function canReach(user: ServerUser, dir: string): Promise<boolean> {
  const { status } = await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir], { user })
  return status === 0
}

/** Makes the server's user the owner of a file or directory. */
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

/** A directory of root that others may pass. Throws if another user could have made or changed it. */
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

// For root, the clone or the data directory may be in a directory that only root can enter (/root/x). Its permissions are not changed:
// files that the server's user needs go to a directory of root that others may pass but not list, /var/lib/chancery:
//   postgresql-<version>/      a copy of the binaries, owned by root, so that the server cannot change them
//   clusters/<random>/postgres the cluster; <data directory>/postgres is a symbolic link to it
// The name is random and not derived from the data directory's path: a data directory that was removed and created again starts empty,
// and one that was moved keeps its cluster.
