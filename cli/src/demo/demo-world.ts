import { join } from 'node:path'
import { CommandError } from '../command-error.ts'
import { isRecord } from '../record.ts'
import { readStored, writeStored } from '../stored-json.ts'

/** How the demo's world was made, so that a later start makes the same again in memory. */
export interface DemoWorld {
  nations: number
  days: number
  seed: number
  endsAt: string
  /** Whether all of its history is in the database. */
  complete: boolean
}

export const demoWorldName = 'demo-world.json'

/** Undefined where the demo has not begun yet. */
export async function readDemoWorld(dataDir: string): Promise<DemoWorld | undefined> {
  const path = join(dataDir, demoWorldName)
  const stored = await readStored(path)
  if (stored === undefined) return undefined
  const { nations, days, seed, endsAt, complete } = isRecord(stored) ? stored : {}
  if (
    typeof nations !== 'number' ||
    typeof days !== 'number' ||
    typeof seed !== 'number' ||
    typeof endsAt !== 'string'
  )
    throw new CommandError(`${path} does not tell how the world was made: begin anew with --fresh`)
  return { nations, days, seed, endsAt, complete: complete === true }
}

export function writeDemoWorld(dataDir: string, world: DemoWorld): Promise<void> {
  return writeStored(join(dataDir, demoWorldName), world)
}
