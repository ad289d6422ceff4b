import { readFile, rename, writeFile } from 'node:fs/promises'
import { CommandError } from './command-error.ts'

/** Undefined where there is no such file. Throws a CommandError for one that is not JSON. */
export async function readStored(path: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'ENOENT') return undefined
    throw err
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${path} is not JSON: remove it`)
  }
}

/** Replaces the file whole, readable by its owner alone. */
export async function writeStored(path: string, value: unknown): Promise<void> {
  const half = `${path}.new`
  await writeFile(half, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  await rename(half, path)
}
