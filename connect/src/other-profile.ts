import { type Contract, profileDigest } from '@chancery/contract'
import type { Door } from './door.ts'

/**
 * What to say where the service was started with another profile than ours: it would refuse words that we take for known, and is never
 * told what we do not know. Undefined where it is the same, or where a service of before does not say.
 */
export async function otherProfile(
  door: Door,
  { profile }: Pick<Contract, 'profile'>,
): Promise<string | undefined> {
  const { profile_digest: theirs } = Object(await door.call('GET', '/status')) as { profile_digest?: unknown }
  const ours = await profileDigest(profile)
  return typeof theirs !== 'string' || theirs === ours
    ? undefined
    : `the service runs with another game profile than this one (${profile.name}): give both the same CHANCERY_GAME_FILE, and start again`
}

/** A service may be started anew, with another profile, between any two rounds. */
const askEveryMs = 60_000

/** Says it when the service first answers, and whenever it begins to be so: asks with the first round, and then once a minute. */
export function createProfileCheck(options: {
  door: Door
  contract: Contract
  say(message: string): void
  now?: () => number
}): () => Promise<void> {
  const { door, contract, say, now = () => performance.now() } = options
  let askedAt = Number.NEGATIVE_INFINITY
  let said: string | undefined
  return async () => {
    const startedAt = now()
    if (startedAt - askedAt < askEveryMs) return
    const problem = await otherProfile(door, contract)
    askedAt = startedAt
    if (problem !== undefined && problem !== said) say(problem)
    said = problem
  }
}
