import { constants, existsSync } from 'node:fs'
import { chmod, lchown, mkdir, open, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedError, isErrno } from './errors.ts'

/**
 * Makes the data directory if needed and resolves to its real path.
 * Made by root, others may pass it (its files are of mode 600 themselves): then the cluster, which belongs to
 * another user, lies inside, and the data directory is whole for a backup or a volume.
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
 * Makes a directory with its parents. Node's own `recursive` never ends on a file system such as /proc, which lets nobody make
 * directories and says that they are missing.
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  const parents: string[] = []
  for (let dir = path; !existsSync(dir) && dirname(dir) !== dir; dir = dirname(dir)) parents.unshift(dir)
  for (const dir of parents)
    await mkdir(dir, { mode }).catch(error => {
      // Processes may start at once on one directory.
      if (error.code !== 'EEXIST') throw error
    })
  if (!(await stat(path)).isDirectory()) throw Object.assign(new Error(path), { code: 'ENOTDIR' })
}

export interface DataDirLock {
  release(): void
}

const sqliteBusy = 5
/** A predecessor that is just ending gets this long. */
const patienceMs = 500

/**
 * One Chancery to a data directory, from before the first file is touched until the server is gone.
 * Node has no flock. SQLite holds an operating system lock on its file, which the kernel drops with the process,
 * on every platform, and which also keeps apart two containers that share a volume (where process ids say nothing).
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const path = join(dataDir, 'postgres.lock')
  await createLockFile(path, dataDir)
  const deadline = Date.now() + patienceMs
  for (;;) {
    const lock = tryLock(path)
    if (lock) return lock
    if (Date.now() > deadline) throw alreadyRunningError(dataDir)
    await sleep(25)
  }
}

export function alreadyRunningError(dataDir: string): EmbeddedError {
  return new EmbeddedError(
    `another Chancery is already running on ${dataDir}: stop it, or give this one a directory of its own with CHANCERY_DATA_DIR`,
  )
}

/**
 * Never opens a file that is there: closing it again would drop the lock that another server
 * of this same process holds on it (POSIX locks belong to the process).
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
    // In memory: the lock alone is wanted, no journal beside it.
    database.exec('pragma journal_mode = memory; begin exclusive')
    const held = database
    return { release: () => held.close() }
  } catch (err) {
    database?.close()
    if (err instanceof Error && 'errcode' in err) {
      if (err.errcode === sqliteBusy) return undefined
      throw new EmbeddedError(`${path} cannot be locked (${err.message}): choose another data directory`)
    }
    throw err
  }
}
