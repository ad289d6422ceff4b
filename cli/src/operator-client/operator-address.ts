import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import Type from 'typebox'
import { CommandError } from '../command-error.ts'
import { readJsonFile } from '../json-file.ts'

export interface OperatorAddress {
  url: string
  token: string
}

/** No service is known. */
export class NoServiceError extends CommandError {}

export const dataDirOf = (env: NodeJS.ProcessEnv): string => resolve(env.CHANCERY_DATA_DIR || '.chancery')

/**
 * The operator address of the running service, and the token: CHANCERY_OPERATOR_TOKEN, else the admin token of the service.
 * Throws a CommandError that states what to set.
 */
export async function findOperatorApi(env: NodeJS.ProcessEnv): Promise<OperatorAddress> {
  const dataDir = dataDirOf(env)
  const url = env.CHANCERY_OPERATOR_URL || (await readOperatorUrl(dataDir))
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new CommandError(`CHANCERY_OPERATOR_URL is ${url}: it must be an http or https address`)
  const token = env.CHANCERY_OPERATOR_TOKEN || env.CHANCERY_ADMIN_TOKEN || (await readToken(dataDir))
  return { url, token }
}

async function readOperatorUrl(dataDir: string): Promise<string> {
  const addresses = await readJsonFile(
    join(dataDir, 'addresses.json'),
    Type.Object({ operator: Type.String() }),
    'has no operator address: set CHANCERY_OPERATOR_URL',
  )
  if (addresses) return addresses.operator
  throw new NoServiceError(
    `no service found in ${dataDir}: start one with chancery demo or chancery serve, or set CHANCERY_DATA_DIR or CHANCERY_OPERATOR_URL to the running one`,
  )
}

async function readToken(dataDir: string): Promise<string> {
  const path = join(dataDir, 'operator-token')
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (err) {
    const why = err instanceof Error && 'code' in err ? err.code : err
    throw new CommandError(
      `the operator token cannot be read from ${path} (${why}): set CHANCERY_OPERATOR_TOKEN in the environment of this command`,
    )
  }
}
