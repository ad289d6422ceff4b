import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readFile, rm, rmdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { EmbeddedError, isErrno, unlessMissing } from './errors.ts'
import type { Host } from './host.ts'
import { canReach, chownTo, type ServerUser } from './server-user.ts'

/** The address of the server. */
export interface ServerSocket {
  /** The directory of the Unix socket, or 127.0.0.1. */
  host: string
  port: number
  password: string | undefined
}

/** Only part of the socket's file name: no port is taken. */
const socketPort = 5432
const socketName = `.s.PGSQL.${socketPort}`
/** sun_path holds 108 bytes on Linux and 104 on macOS, with the zero behind it. */
const socketPathBytesMax = 103

/** The password of a server on loopback, generated at the first call; undefined if there are Unix sockets. */
export async function openPassword(host: Host, dataDir: string): Promise<string | undefined> {
  if (host.hasUnixSockets) return undefined
  const path = join(dataDir, 'postgres.password')
  const kept = await unlessMissing(readFile(path, 'utf8'))
  if (kept) return kept
  const password = randomBytes(24).toString('base64url')
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(password)
    await file.sync()
  } finally {
    await file.close()
  }
  return password
}

/** Prepares the address of a server that is about to start. No earlier server may use it. */
export async function openSocket(
  host: Host,
  cluster: Cluster,
  user: ServerUser | undefined,
  password: string | undefined,
): Promise<ServerSocket> {
  if (!host.hasUnixSockets) return { host: '127.0.0.1', port: await freePort(), password }
  const dir = await openSocketDir(host, cluster, user)
  // PostgreSQL keeps a stale lock file if its process id has been reused.
  await removeSocket(dir)
  return { host: dir, port: socketPort, password }
}

/** Removes the socket directory, with leftovers of a killed server. */
export async function closeSocket(socket: ServerSocket): Promise<void> {
  if (socket.password !== undefined) return
  await removeSocket(socket.host)
  await rmdir(socket.host).catch(() => {})
}

async function removeSocket(dir: string): Promise<void> {
  await rm(join(dir, socketName), { force: true })
  await rm(join(dir, `${socketName}.lock`), { force: true })
}

/** A separate short path: that of the data directory may be too long for a socket. */
async function openSocketDir(host: Host, cluster: Cluster, user: ServerUser | undefined): Promise<string> {
  for (const temporaryDir of host.temporaryDirs) {
    const dir = join(temporaryDir, cluster.name)
    if (Buffer.byteLength(join(dir, socketName)) > socketPathBytesMax) continue
    if (user && !(await canReach(user, temporaryDir))) continue
    await makePrivate(dir, user)
    return dir
  }
  throw new EmbeddedError(
    `no temporary directory has a path short enough for a Unix socket and is open to the server (${host.temporaryDirs.join(', ')}): set TMPDIR to one`,
  )
}

async function makePrivate(dir: string, user: ServerUser | undefined): Promise<void> {
  try {
    await mkdir(dir, { mode: 0o700 })
  } catch (err) {
    if (!isErrno(err) || err.code !== 'EEXIST') throw err
  }
  const uid = user?.uid ?? process.geteuid?.()
  const found = await lstat(dir)
  // One that root owns was just made: no other user can make root's directories in /tmp.
  const isOurs = found.uid === uid || (user !== undefined && found.uid === 0)
  if (!found.isDirectory() || !isOurs || (found.mode & 0o077) !== 0)
    throw new EmbeddedError(`${dir} is not a private directory of the server's user: remove it`)
  if (found.uid !== uid) await chownTo(user, dir, 0o700)
}

/** A port of the loopback that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port')
  return address.port
}
