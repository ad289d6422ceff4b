import { hashOperatorToken } from '../access/operator-token-text.ts'
import { findTokenName } from '../access/operator-tokens.ts'
import type { Database } from '../store/database.ts'
import type { Config } from './config.ts'
import { operatorTokenFile, readOperatorToken } from './data-dir.ts'
import { StartupError } from './startup-error.ts'

/**
 * The main token of the operator listener, which has the role `admin`: CHANCERY_ADMIN_TOKEN, or the one in the data directory.
 * @throws {StartupError} where it would give the role `admin` to the holder of a token with fewer roles: only the variable of senders
 * is set, or the token is stored as a named one.
 */
export async function readMainToken(
  { adminToken, hasSenderToken, dataDir }: Pick<Config, 'adminToken' | 'hasSenderToken' | 'dataDir'>,
  db: Database,
): Promise<string> {
  if (adminToken === undefined && hasSenderToken)
    throw new StartupError(
      'CHANCERY_OPERATOR_TOKEN no longer sets the main token of the service. If it holds the main token, rename it to CHANCERY_ADMIN_TOKEN; otherwise remove it from the environment of the service, or also set CHANCERY_ADMIN_TOKEN',
    )
  const token = adminToken ?? (await readOperatorToken(dataDir))
  const name = await findTokenName(db, hashOperatorToken(token))
  if (name !== undefined)
    throw new StartupError(
      `${adminToken === undefined ? operatorTokenFile(dataDir) : 'CHANCERY_ADMIN_TOKEN'}: the value is also the named token ${name}, which would get the role admin; set a different value`,
    )
  return token
}
