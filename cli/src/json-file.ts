import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Static, TSchema } from 'typebox'
import { CommandError } from './command-error.ts'

/**
 * Undefined if the file does not exist. Throws a CommandError if it is not JSON, and one that ends with `problem` if the content does
 * not fit the schema; without a `problem`, such content is undefined too.
 */
export async function readJsonFile<S extends TSchema>(
  path: string,
  schema: S,
  problem?: string,
): Promise<Static<S> | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'ENOENT') return undefined
    throw err
  }
  const { Check } = await import('typebox/value')
  const content = parse(path, text)
  if (Check(schema, content)) return content
  if (problem !== undefined) throw new CommandError(`${path} ${problem}`)
  return undefined
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${path} is not JSON: remove it`)
  }
}

/** Replaces the file atomically, readable by its owner only. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.new`
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  await rename(temporary, path)
}
