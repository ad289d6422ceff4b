import { createReadStream } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { CommandError, UsageError } from '../command-error.ts'

export interface Source {
  /** As the caller named it. */
  name: string
  bytes: number | undefined
  open(): AsyncIterable<Uint8Array>
}

/** Looks at every file before the first is sent. Throws a CommandError for one that cannot be read. */
export async function openSources(files: string[], input: Readable): Promise<Source[]> {
  if (files.filter(file => file === '-').length > 1)
    throw new UsageError('standard input (-) can be read only once')
  return Promise.all(files.map(file => (file === '-' ? standardInput(input) : openFile(file))))
}

const standardInput = (input: Readable): Source => ({ name: '-', bytes: undefined, open: () => input })

async function openFile(name: string): Promise<Source> {
  try {
    await access(name, constants.R_OK)
    const found = await stat(name)
    if (found.isDirectory()) throw new CommandError(`${name} is a directory: name the files in it`)
    return {
      name,
      // A pipe has no size.
      bytes: found.isFile() ? found.size : undefined,
      open: () => createReadStream(name, { highWaterMark: 262_144 }),
    }
  } catch (err) {
    throw unreadable(name, err)
  }
}

export function unreadable(name: string, err: unknown): unknown {
  if (!(err instanceof Error && 'code' in err)) return err
  const why = err.code === 'ENOENT' ? 'there is no such file' : `${err.code}`
  return new CommandError(`${name} cannot be read: ${why}`)
}
