import type { Door } from '@chancery/connect'
import { type Contract, contractFor, demoProfile } from '@chancery/contract'
import { CommandError } from '../command-error.ts'
import { connectDoor } from '../door/connect-door.ts'
import { findDoor } from '../door/environment.ts'
import { openDoor } from '../door/operator-door.ts'
import { readProfile } from '../game-profile.ts'

/** The promise for the game that the service is configured for. */
export async function gameContract({ CHANCERY_GAME_FILE: file }: NodeJS.ProcessEnv): Promise<Contract> {
  return contractFor(file ? await readProfile(file) : demoProfile)
}

/** Throws a CommandError that says how to name the game's database. */
export function gameUrl({ CHANCERY_GAME_DATABASE_URL: url = '' }: NodeJS.ProcessEnv): string {
  if (!/^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new CommandError(
      "CHANCERY_GAME_DATABASE_URL must be the address of the game's own PostgreSQL, as postgres://user@host/database",
    )
  return url
}

/** Both ends of what is connected: the game's database, and the door of the service with the promise for that game. */
export const bothEnds = async (env: NodeJS.ProcessEnv): Promise<Ends> => ({
  url: gameUrl(env),
  contract: await gameContract(env),
  door: connectDoor(openDoor(await findDoor(env))),
})

interface Ends {
  url: string
  contract: Contract
  door: Door
}
