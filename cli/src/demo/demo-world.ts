import { existsSync } from 'node:fs'
import { lstat, readdir, readlink, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '@chancery/server'
import Type, { type Static } from 'typebox'
import { CommandError } from '../command-error.ts'
import { readJsonFile, writeJsonFile } from '../json-file.ts'
import { startService } from '../service.ts'
import { demoKeysName } from './demo-keys.ts'

/** How the world of the demo was created, so that a later start recreates it in memory. */
const demoWorld = Type.Object({
  nations: Type.Number(),
  days: Type.Number(),
  seed: Type.Number(),
  endsAt: Type.String(),
  /** Whether all of its history is in the database. */
  complete: Type.Boolean(),
})
export type DemoWorld = Static<typeof demoWorld>

const demoWorldName = 'demo-world.json'

/** Undefined before the first start. */
export const readDemoWorld = (dataDir: string): Promise<DemoWorld | undefined> =>
  readJsonFile(join(dataDir, demoWorldName), demoWorld, 'does not describe a world: start again with --fresh')

export const writeDemoWorld = (dataDir: string, world: DemoWorld): Promise<void> =>
  writeJsonFile(join(dataDir, demoWorldName), world)

/**
 * Deletes the world of the demo, and no other files.
 * A directory without a world of the demo is not changed.
 */
export async function removeDemoWorld(config: Config): Promise<void> {
  const { dataDir } = config
  if (!existsSync(join(dataDir, demoWorldName))) return
  // Left by a running process, or by one that was killed and left its database running. Starting fails for the
  // first and adopts the second, and closing stops it: files of a running database are never deleted.
  if (existsSync(join(dataDir, 'postgres', 'postmaster.pid')))
    await (await startService({ ...config, port: 0, operatorPort: 0 })).close()
  await removeCluster(join(dataDir, 'postgres'))
  const entries = await readdir(dataDir)
  const ours = entries.filter(name => name.startsWith('postgres.') || name === demoKeysName)
  // demo-world.json is deleted last: an interrupted removal is repeated.
  for (const name of [...ours, 'addresses.json', demoWorldName])
    await rm(join(dataDir, name), { recursive: true, force: true })
}

/** As root the database may be in another directory of its own, behind a symbolic link. */
async function removeCluster(path: string): Promise<void> {
  const entry = await lstat(path).catch(() => undefined)
  if (entry?.isSymbolicLink()) {
    const target = await readlink(path)
    const home = dirname(target)
    if (basename(dirname(home)) !== 'clusters' || basename(target) !== 'postgres')
      throw new CommandError(`${path} is a link to ${target}: remove both, then start again without --fresh`)
    await rm(home, { recursive: true, force: true })
  }
  await rm(path, { recursive: true, force: true })
}
