import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, lstatSync } from 'node:fs'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const prefix = 'chancery-facts-'

/**
 * Opens a file without a name, which the system removes when it is closed or the process ends: facts contain secrets, which must not
 * stay in the temporary directory.
 */
export async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), prefix + randomUUID())
  const file = await open(path, 'wx+', 0o600)
  // Where the system cannot unlink open files, the next start removes it.
  await rm(path).catch(() => undefined)
  return file
}

/** Named folders, which killed processes of the first version left. A recent one may belong to a process that still runs. */
const formerFolder = /^chancery-(spool|check)-[A-Za-z0-9]{6}$/
const formerMsMin = 3_600_000

/** Removes files of facts that killed processes of this user left in the temporary directory. */
export async function removeTemporaryLeftovers(): Promise<void> {
  const dir = tmpdir()
  for (const name of await readdir(dir).catch(() => [])) {
    const path = join(dir, name)
    if (name.startsWith(prefix) || (formerFolder.test(name) && isOldAndOurs(path)))
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

function isOldAndOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory() || Date.now() - found.mtimeMs < formerMsMin) return false
  return process.geteuid === undefined || found.uid === process.geteuid()
}

/** A stream that was received to its end, to be read from a file. */
export interface BufferedInput {
  read(): AsyncIterable<Uint8Array>
  clear(): Promise<void>
}

/** Buffers a stream to its end: a slow sender then does not hold a transaction open. */
export async function bufferToFile(input: AsyncIterable<Uint8Array>): Promise<BufferedInput> {
  const file = await openTemporaryFile()
  // Streams of the handle itself would keep it from being closed.
  const { fd } = file
  try {
    await pipeline(input, createWriteStream('', { fd, autoClose: false }))
  } catch (error) {
    await file.close()
    throw error
  }
  return { read: () => createReadStream('', { fd, start: 0, autoClose: false }), clear: () => file.close() }
}
