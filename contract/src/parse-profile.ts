import { Compile } from 'typebox/compile'
import { type Profile, profileProblems, profileSchema } from './profile.ts'

/** What is wrong with a profile: one line, with the place as a JSON pointer. */
export class ProfileError extends Error {}

/**
 * Reads the text of a profile.
 * @throws {ProfileError} where it is not JSON, not of the profile's schema, or contradicts itself.
 */
export function parseProfile(text: string): Profile {
  const profile = parseJson(text)
  const check = Compile(profileSchema)
  if (!check.Check(profile)) {
    const error = check.Errors(profile).find(({ keyword }) => keyword !== 'boolean')
    throw new ProfileError(`${error?.instancePath || '/'} ${error?.message ?? 'is no profile'}`)
  }
  const [problem] = profileProblems(profile)
  if (problem !== undefined) throw new ProfileError(problem)
  return profile
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProfileError('it is not JSON')
  }
}
