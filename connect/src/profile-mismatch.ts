import { type Contract, operatorOperations, profileDigest } from '@chancery/contract'
import type { ServiceClient } from './service-client.ts'

/**
 * A warning if the service runs with another game profile: it rejects terms that only this profile has, and never receives those that
 * only its own profile has. Undefined if the profiles are the same, or if an older service does not report its profile.
 */
export async function profileMismatch(
  client: ServiceClient,
  { profile }: Pick<Contract, 'profile'>,
): Promise<string | undefined> {
  const theirs = (await client.call(operatorOperations.statusGet))?.profile_digest
  return theirs === undefined || theirs === (await profileDigest(profile))
    ? undefined
    : `the service runs with another game profile than this one (${profile.name}): give both the same CHANCERY_GAME_FILE, and restart`
}

/** The service may be restarted with another profile between any two rounds. */
const checkEveryMs = 60_000

/** Checks at the first round and then once a minute; logs a mismatch when it begins or changes. */
export function createProfileCheck(options: {
  client: ServiceClient
  contract: Contract
  log(message: string): void
  now?: () => number
}): () => Promise<void> {
  const { client, contract, log, now = () => performance.now() } = options
  let checkedAt = Number.NEGATIVE_INFINITY
  let logged: string | undefined
  return async () => {
    const startedAt = now()
    if (startedAt - checkedAt < checkEveryMs) return
    const problem = await profileMismatch(client, contract)
    checkedAt = startedAt
    if (problem !== undefined && problem !== logged) log(problem)
    logged = problem
  }
}
