import { access } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join, resolve } from 'node:path'
import { findDoor } from '../door/environment.ts'
import { explainSilence, isSuccess, openDoor, refusalOf, responseTo } from '../door/operator-door.ts'

/** The backup that the running service makes, as it comes; undefined where none runs. Throws a CommandError for a refusal. */
export async function backupFromService(env: NodeJS.ProcessEnv): Promise<IncomingMessage | undefined> {
  const isNamed = Boolean(env.CHANCERY_OPERATOR_URL)
  if (!isNamed && !(await hasRun(env))) return undefined
  const door = openDoor(await findDoor(env))
  const req = door.open('POST', '/backup')
  try {
    const answer = responseTo(req)
    req.end()
    const res = await answer
    if (!isSuccess(res)) throw await refusalOf(res)
    return res
  } catch (err) {
    // Its address stays behind when a service ends.
    const isGone = err instanceof Error && 'code' in err && err.code === 'ECONNREFUSED'
    if (isGone && !isNamed) return undefined
    throw explainSilence(err, door.url)
  }
}

const hasRun = (env: NodeJS.ProcessEnv) =>
  access(join(resolve(env.CHANCERY_DATA_DIR || '.chancery'), 'addresses.json')).then(
    () => true,
    () => false,
  )
