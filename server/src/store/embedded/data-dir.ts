import { constants, existsSync } from 'node:fs'
import { chmod, lchown, mkdir, open, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedError, isErrno } from './errors.ts'

/**
 * Makes the data directory if needed and returns its real path.
 * If root makes it, other users may pass it (secret files in it have mode 600): the cluster, which belongs to another user, can then lie
 * inside, so that one backup or volume holds everything.
 */
export async function openDataDir(path: string): Promise<string> {
  const dir = resolve(path)
  await makeDirectory(dirname(dir), 0o777)
  try {
    await mkdir(dir)
    await chmod(dir, process.geteuid?.() === 0 ? 0o711 : 0o700)
  } catch (err) {
    if (!isErrno(err) || err.code !== 'EEXIST') throw err
  }
  return realpath(dir)
}

/**
 * Makes a directory with its parents. Node's own `recursive` never ends on a file system such as /proc, where every mkdir fails with
 * ENOENT.
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  const parents: string[] = []
  for (let dir = path; !existsSync(dir) && dirname(dir) !== dir; dir = dirname(dir)) parents.unshift(dir)
  for (const dir of parents)
    await mkdir(dir, { mode }).catch(error => {
      // Another process may start on the same directory.
      if (error.code !== 'EEXIST') throw error
    })
  if (!(await stat(path)).isDirectory()) throw Object.assign(new Error(path), { code: 'ENOTDIR' })
}

export interface DataDirLock {
  release(): void
}

const sqliteBusy = 5
/** A previous process that is exiting gets this long. */
const lockTimeoutMs = 500

/**
 * Locks the data directory for one process, before the first file is touched and until the server has exited.
 * Node has no flock. SQLite holds an operating system lock on its file, which the kernel releases with the process on every platform,
 * and which also works between containers that share a volume, where process ids mean nothing.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const path = join(dataDir, 'postgres.lock')
  await createLockFile(path, dataDir)
  const deadline = Date.now() + lockTimeoutMs
  for (;;) {
    const lock = tryLock(path)
    if (lock) return lock
    if (Date.now() > deadline) throw alreadyRunningError(dataDir)
    await sleep(25)
  }
}

export function alreadyRunningError(dataDir: string): EmbeddedError {
  return new EmbeddedError(
    `another process of the service uses ${dataDir}: stop it, or give this one a directory of its own with CHANCERY_DATA_DIR`,
  )
}

/**
 * Never opens an existing file: closing it would release the lock that another server of this process holds on it (POSIX locks belong
 * to the process).
 */
async function createLockFile(path: string, dataDir: string): Promise<void> {
  try {
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR
    await (await open(path, flags, 0o600)).close()
  } catch (err) {
    if (isErrno(err) && err.code === 'EEXIST') return
    throw err
  }
  const owner = await stat(dataDir)
  if (process.geteuid?.() === 0) await lchown(path, owner.uid, owner.gid)
}

function tryLock(path: string): DataDirLock | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: 0 })
    // In memory: only the lock is needed, no journal file.
    database.exec('pragma journal_mode = memory; begin exclusive')
    const locked = database
    return { release: () => locked.close() }
  } catch (err) {
    database?.close()
    if (err instanceof Error && 'errcode' in err) {
      if (err.errcode === sqliteBusy) return undefined
      throw new EmbeddedError(`${path} cannot be locked (${err.message}): choose another data directory`)
    }
    throw err
  }
}
