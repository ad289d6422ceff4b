import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CommandError } from '../command-error.ts'
import { isRecord } from '../record.ts'
import { readStored } from '../stored-json.ts'

export interface DoorAddress {
  url: string
  token: string
}

function dataDirOf(env: NodeJS.ProcessEnv): string {
  return resolve(env.CHANCERY_DATA_DIR || '.chancery')
}

/**
 * Where the running service listens to its operator, and the token: CHANCERY_OPERATOR_TOKEN, else the main token of the service.
 * Throws a CommandError that says how to tell it.
 */
export async function findDoor(env: NodeJS.ProcessEnv): Promise<DoorAddress> {
  const dataDir = dataDirOf(env)
  const url = env.CHANCERY_OPERATOR_URL || (await readOperatorUrl(dataDir))
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new CommandError(`CHANCERY_OPERATOR_URL is ${url}: it must be an http or https address`)
  const token = env.CHANCERY_OPERATOR_TOKEN || env.CHANCERY_ADMIN_TOKEN || (await readToken(dataDir))
  return { url, token }
}

async function readOperatorUrl(dataDir: string): Promise<string> {
  const path = join(dataDir, 'addresses.json')
  const addresses = await readStored(path)
  if (addresses === undefined)
    throw new CommandError(
      `no Chancery has run on ${dataDir}: start one with chancery demo or chancery serve, or set CHANCERY_DATA_DIR or CHANCERY_OPERATOR_URL to the one that runs`,
    )
  if (!isRecord(addresses) || typeof addresses.operator !== 'string')
    throw new CommandError(`${path} names no operator address: set CHANCERY_OPERATOR_URL`)
  return addresses.operator
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
