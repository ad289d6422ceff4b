import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SpoolError } from './errors.ts'

/** A folder with a file per batch: NDJSON that `chancery ingest` could send as well. One process at a time uses it. */
export interface Spool {
  /** The batches of an earlier process, in order. */
  found: { id: string; bytes: number; file: string }[]
  /** The bytes of the batches that were rejected and that the service did not keep. */
  rejectedBytes: number
  /** Writes a batch durably, and returns its file. */
  write(text: string): Promise<string>
  remove(file: string): Promise<void>
  /** Moves a batch to the folder `rejected`. */
  keepRejected(file: string): Promise<void>
  /** Lets another process use the folder. */
  close(): Promise<void>
}

const batchFile = /^\d{12}\.ndjson$/

/** @throws {SpoolError} if the folder cannot be used, or another process uses it. */
export async function openSpool(folder: string, log: (message: string) => void): Promise<Spool> {
  try {
    await mkdir(join(folder, 'rejected'), { recursive: true, mode: 0o700 })
    const unlock = await lock(folder)
    return await readSpool(folder, unlock, log)
  } catch (err) {
    throw spoolError(folder, 'cannot be used', err)
  }
}

async function readSpool(
  folder: string,
  unlock: () => Promise<void>,
  log: (message: string) => void,
): Promise<Spool> {
  const names = (await readdir(folder)).sort()
  // Of a batch whose write was interrupted: `stored` never resolved for it.
  for (const name of names) if (name.endsWith('.new')) await rm(join(folder, name))
  const files = names.filter(name => batchFile.test(name))
  let number = Number(files.at(-1)?.slice(0, 12) ?? 0)
  const moveRejected = (file: string) =>
    rename(file, join(folder, 'rejected', file.slice(-'000000000000.ndjson'.length)))
  const found: Spool['found'] = []
  for (const name of files) {
    const file = join(folder, name)
    const id = await batchIdOf(file)
    if (id !== undefined) found.push({ id, bytes: (await stat(file)).size, file })
    else {
      log(`${file} has no commit in its last line: it is not sent, and moved to the folder rejected`)
      await moveRejected(file)
    }
  }
  const rejected = await readdir(join(folder, 'rejected'))
  const sizes = await Promise.all(
    rejected.map(async name => (await stat(join(folder, 'rejected', name))).size),
  )
  const explained = <T>(what: string, work: Promise<T>): Promise<T> =>
    work.catch(err => {
      throw spoolError(folder, what, err)
    })

  return {
    found,
    rejectedBytes: sizes.reduce((sum, size) => sum + size, 0),
    write(text) {
      number += 1
      const file = join(folder, `${String(number).padStart(12, '0')}.ndjson`)
      return explained('cannot be written', writeDurably(folder, file, text))
    },
    remove: file => explained('cannot be emptied', rm(file, { force: true })),
    keepRejected: file => explained('cannot be changed', moveRejected(file)),
    close: unlock,
  }
}

const spoolError = (folder: string, what: string, err: unknown) =>
  err instanceof SpoolError
    ? err
    : new SpoolError(`the spool ${folder} ${what} (${(err as { code?: unknown }).code ?? err})`, {
        cause: err,
      })

async function writeDurably(folder: string, file: string, text: string): Promise<string> {
  const unfinished = `${file}.new`
  const handle = await open(unfinished, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(unfinished, file)
  await syncFolder(folder)
  return file
}

/** A renamed file is durable when its folder is. Windows cannot open one. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

const commitBytesMax = 1_024

/** The id in the last line. */
async function batchIdOf(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, commitBytesMax)
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    const commit = JSON.parse(buffer.toString().trimEnd().split('\n').at(-1) ?? '') as {
      op?: unknown
      batch?: unknown
    }
    return commit.op === 'commit' && typeof commit.batch === 'string' ? commit.batch : undefined
  } catch {
    return undefined
  } finally {
    await handle.close()
  }
}

const touchMs = 2_000
/** A lock that was not touched for this time belongs to a process that no longer runs. */
const staleMs = 10_000
/** The same where a process of that number runs: it may be too busy to touch the lock, or be another one with the same number. */
const staleRunningMs = 300_000

interface Holder {
  pid: number
  host: string
}

/** The folders that this process has locked. */
const ownLocks = new Set<string>()

/** Locks the folder for this process. A lock of another machine that shares it is waited for until it is stale. */
async function lock(folder: string): Promise<() => Promise<void>> {
  const file = resolve(folder, 'lock')
  const used = () =>
    new SpoolError(`the spool ${folder} is used by another sender: give each sender a folder of its own`)
  if (ownLocks.has(file)) throw used()
  const holder: Holder = { pid: process.pid, host: hostname() }
  for (const until = Date.now() + staleMs + touchMs; !(await tryLock(file, holder)); ) {
    if (await isAbandoned(file)) await rm(file, { force: true })
    else if (Date.now() > until) throw used()
    else await sleep(200)
  }
  ownLocks.add(file)
  const touching = setInterval(() => {
    const now = new Date()
    utimes(file, now, now).catch(() => undefined)
  }, touchMs).unref()
  return async () => {
    clearInterval(touching)
    ownLocks.delete(file)
    await rm(file, { force: true })
  }
}

async function tryLock(file: string, holder: Holder): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(JSON.stringify(holder))
    await handle.close()
    return true
  } catch (err) {
    if ((err as { code?: unknown }).code === 'EEXIST') return false
    throw err
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    const ageMs = Date.now() - (await stat(file)).mtimeMs
    const { pid, host } = await readHolder(file)
    const isOther = host === hostname() && pid !== undefined && pid !== process.pid
    if (isOther && !isRunning(pid)) return true
    return ageMs > (isOther ? staleRunningMs : staleMs)
  } catch {
    // It was removed meanwhile.
    return false
  }
}

/** Empty where the process ended before it had written its number. */
async function readHolder(file: string): Promise<Partial<Holder>> {
  const text = await readFile(file, 'utf8')
  return text === '' ? {} : (JSON.parse(text) as Holder)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (err) {
    return (err as { code?: unknown }).code === 'EPERM'
  }
}
