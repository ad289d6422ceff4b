import { existsSync } from 'node:fs'
import { lstat, readdir, readlink, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '@chancery/server'
import { CommandError } from '../command-error.ts'
import { startService } from '../service.ts'
import { demoKeysName } from './demo-keys.ts'
import { demoWorldName } from './demo-world.ts'

/**
 * Removes the demo's world, and nothing that the demo did not make.
 * A directory without a demo's world is left as it is: there is nothing to begin anew.
 */
export async function removeDemoWorld(config: Config): Promise<void> {
  const { dataDir } = config
  if (!existsSync(join(dataDir, demoWorldName))) return
  // Left by a process that runs, or that was killed and left its database running. Starting on it refuses
  // the one and adopts the other, and closing stops it: nothing is removed under a running database.
  if (existsSync(join(dataDir, 'postgres', 'postmaster.pid')))
    await (await startService({ ...config, port: 0, operatorPort: 0 })).close()
  await removeCluster(join(dataDir, 'postgres'))
  const entries = await readdir(dataDir)
  const ours = entries.filter(name => name.startsWith('postgres.') || name === demoKeysName)
  // The demo's world goes last: an interrupted removal is done again.
  for (const name of [...ours, 'addresses.json', demoWorldName])
    await rm(join(dataDir, name), { recursive: true, force: true })
}

/** As root the database may lie elsewhere, behind a symbolic link, in a directory of its own. */
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
