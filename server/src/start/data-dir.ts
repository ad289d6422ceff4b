import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '../store/embedded/data-dir.ts'
import { StartupError } from './startup-error.ts'

/** Makes the data directory. It may be entered by the user that the bundled database runs as; what is secret in it has mode 600. */
export async function ensureDataDir(dataDir: string): Promise<void> {
  await makeDirectory(dataDir, 0o711).catch(error => {
    throw new StartupError(`CHANCERY_DATA_DIR: ${dataDir} cannot be made (${error.code})`)
  })
}

/** Where the main token is kept that no variable sets. */
export const operatorTokenFile = (dataDir: string): string => join(dataDir, 'operator-token')

/** The operator token: made at the first start, and kept. Processes that start at once on one directory all have the same. */
export async function readOperatorToken(dataDir: string): Promise<string> {
  const file = operatorTokenFile(dataDir)
  const known = await readFile(file, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return ''
    throw new StartupError(
      `${file} cannot be read (${error.code}): it must be a file readable by this user. Remove it to generate a new token, or set CHANCERY_ADMIN_TOKEN`,
    )
  })
  if (known.trim()) return known.trim()
  // Whole before it has its name, and never in place of another's: whoever finds one reads all of it.
  const next = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.new`
  await writeFile(next, `cho_${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  try {
    await link(next, file)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
    // An empty file is nobody's token.
    if ((await readFile(file, 'utf8')).trim() === '') await rename(next, file)
  } finally {
    await rm(next, { force: true })
  }
  return (await readFile(file, 'utf8')).trim()
}

/** Where the two listeners are, for the command line and for scripts. */
export async function writeAddresses(
  dataDir: string,
  addresses: { public: string; operator: string },
): Promise<void> {
  const file = join(dataDir, 'addresses.json')
  // Several processes may start at once on one directory: the last one stands in it.
  const next = `${file}.${process.pid}.new`
  await writeFile(next, `${JSON.stringify(addresses)}\n`)
  await rename(next, file)
}
