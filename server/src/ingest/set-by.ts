import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A stream that has come to its end, to be read from a file. */
export interface SetBy {
  read(): AsyncIterable<Uint8Array>
  clear(): Promise<void>
}

/** Takes in a stream to its end, so that whoever reads it holds nothing up while its sender takes its time. */
export async function setBy(input: AsyncIterable<Uint8Array>): Promise<SetBy> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-check-'))
  const file = join(folder, 'facts.ndjson')
  const clear = () => rm(folder, { recursive: true, force: true })
  try {
    // Facts hold secrets: nobody else may read the file.
    await pipeline(input, createWriteStream(file, { mode: 0o600 }))
  } catch (error) {
    await clear()
    throw error
  }
  return { read: () => createReadStream(file), clear }
}
