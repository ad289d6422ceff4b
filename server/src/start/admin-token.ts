import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findTokenName, hashOperatorToken } from '../operator/token-store.ts'
import type { Database } from '../store/database.ts'
import type { Config } from './config.ts'
import { StartupError } from './startup-error.ts'

/**
 * The admin token of the operator API, which has the role `admin`: CHANCERY_ADMIN_TOKEN, or the one in the data directory.
 * @throws {StartupError} if it would give the role `admin` to the holder of a token with fewer roles: only the variable of senders
 * is set, or the token is stored as a named one.
 */
export async function readAdminToken(
  { adminToken, hasSenderToken, dataDir }: Pick<Config, 'adminToken' | 'hasSenderToken' | 'dataDir'>,
  db: Database,
): Promise<string> {
  if (adminToken === undefined && hasSenderToken)
    throw new StartupError(
      'CHANCERY_OPERATOR_TOKEN no longer sets the admin token of the service. If it holds the admin token, rename it to CHANCERY_ADMIN_TOKEN; otherwise remove it from the environment of the service, or also set CHANCERY_ADMIN_TOKEN',
    )
  const file = join(dataDir, 'operator-token')
  const token = adminToken ?? (await readOrGenerateToken(file))
  const name = await findTokenName(db, hashOperatorToken(token))
  if (name !== undefined)
    throw new StartupError(
      `${adminToken === undefined ? file : 'CHANCERY_ADMIN_TOKEN'}: the value is also the named token ${name}, which would get the role admin; set a different value`,
    )
  return token
}

/** The token in a file, generated at the first start. Processes that start at once on one directory all get the same. */
async function readOrGenerateToken(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return ''
    throw new StartupError(
      `${file} cannot be read (${error.code}): it must be a file readable by this user. Remove it to generate a new token, or set CHANCERY_ADMIN_TOKEN`,
    )
  })
  if (known.trim()) return known.trim()
  // Written under another name and linked: readers never see a part of it, and the token of another process is never replaced.
  const next = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.new`
  await writeFile(next, `cho_${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  try {
    await link(next, file)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
    if ((await readFile(file, 'utf8')).trim() === '') await rename(next, file)
  } finally {
    await rm(next, { force: true })
  }
  return (await readFile(file, 'utf8')).trim()
}
