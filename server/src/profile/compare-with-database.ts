import type { Profile } from '@chancery/contract'
import type { Config } from '../start/config.ts'
import { ensureDataDir } from '../start/data-dir.ts'
import { openStore } from '../store/open-store.ts'
import { compareProfile, type ProfileComparison } from './adopt-profile.ts'

/**
 * What it would mean to serve the configured database with a profile. Nothing is changed.
 * @throws {StartupError} where the database cannot be reached, or has another version's schema.
 */
export async function compareWithDatabase(config: Config, profile: Profile): Promise<ProfileComparison> {
  await ensureDataDir(config.dataDir)
  const store = await openStore({ ...config, migrates: false }, () => undefined)
  try {
    return await compareProfile(store.target, profile)
  } finally {
    await store.close()
  }
}
