import { demoProfile, type Profile } from '@chancery/contract'
import fc from 'fast-check'
import { randomProfiles } from '../../../contract/test/random-profiles.ts'
import { smallGame } from '../profile/games.ts'

/** The demo's profile, one without a key of it, and random ones with attributes of every class and scope. */
export const profiles: fc.Arbitrary<Profile> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(demoProfile, smallGame) },
  { weight: 2, arbitrary: randomProfiles },
)
