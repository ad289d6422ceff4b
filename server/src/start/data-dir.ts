import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '../store/embedded/data-dir.ts'
import { StartupError } from './startup-error.ts'

/** Makes the data directory. The user that the bundled database runs as may enter it; secret files in it have mode 600. */
export async function ensureDataDir(dataDir: string): Promise<void> {
  await makeDirectory(dataDir, 0o711).catch(error => {
    throw new StartupError(
      `CHANCERY_DATA_DIR: ${dataDir} cannot be created (${error.code}): choose another directory`,
    )
  })
}

/** Writes the URLs of the two listeners, for the command line and for scripts. The last of several processes wins. */
export async function writeAddresses(
  dataDir: string,
  addresses: { public: string; operator: string },
): Promise<void> {
  const file = join(dataDir, 'addresses.json')
  const next = `${file}.${process.pid}.new`
  await writeFile(next, `${JSON.stringify(addresses)}\n`)
  await rename(next, file)
}
