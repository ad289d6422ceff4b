import { readFile } from 'node:fs/promises'
import { type Profile, ProfileError, parseProfile } from '@chancery/contract'
import { CommandError } from './command-error.ts'

/** Reads the profile of a game. Throws a CommandError that says what is wrong with it and where. */
export async function readProfile(path: string): Promise<Profile> {
  const text = await readFile(path, 'utf8').catch(err => {
    throw new CommandError(`the profile ${path} cannot be read (${err.code})`)
  })
  try {
    return parseProfile(text)
  } catch (error) {
    throw error instanceof ProfileError ? new CommandError(`${path}: ${error.message}`) : error
  }
}
