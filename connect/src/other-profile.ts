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

/** Says it once, when the service first answers. */
export function createProfileCheck(options: {
  door: Door
  contract: Contract
  say(message: string): void
}): () => Promise<void> {
  let isDone = false
  return async () => {
    if (isDone) return
    const problem = await otherProfile(options.door, options.contract)
    isDone = true
    if (problem !== undefined) options.say(problem)
  }
}
