import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { openTemporaryFile } from './temporary-file.ts'

/** A stream that has come to its end, to be read from a file. */
export interface BufferedInput {
  read(): AsyncIterable<Uint8Array>
  clear(): Promise<void>
}

/** Takes in a stream to its end, so that whoever reads it holds nothing up while its sender takes its time. */
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
