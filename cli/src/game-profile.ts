import { readFile } from 'node:fs/promises'
import { type Profile, ProfileError, parseProfile } from '@chancery/contract'
import { CommandError } from './command-error.ts'

/** Reads the profile of a game. Throws a CommandError with a line for each problem and its path. */
export async function readProfile(path: string): Promise<Profile> {
  const text = await readFile(path, 'utf8').catch(err => {
    throw new CommandError(`the profile ${path} cannot be read (${err.code})`)
  })
  try {
    return parseProfile(text)
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error
    throw new CommandError(
      error.message
        .split('\n')
        .map(problem => `${path}: ${problem}`)
        .join('\n'),
    )
  }
}
