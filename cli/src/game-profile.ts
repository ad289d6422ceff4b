import { readFile } from 'node:fs/promises'
import { type Profile, profileProblems, profileSchema } from '@chancery/contract'
import { Compile } from 'typebox/compile'
import { CommandError } from './command-error.ts'

/** Reads the profile of a game. Throws a CommandError that says what is wrong with it and where. */
export async function readProfile(path: string): Promise<Profile> {
  const profile = parse(
    path,
    await readFile(path, 'utf8').catch(err => {
      throw new CommandError(`the profile ${path} cannot be read (${err.code})`)
    }),
  )
  const check = Compile(profileSchema)
  if (!check.Check(profile)) {
    const error = check.Errors(profile).find(({ keyword }) => keyword !== 'boolean')
    throw new CommandError(`${path}: ${error?.instancePath || '/'} ${error?.message ?? 'is no profile'}`)
  }
  const [problem] = profileProblems(profile)
  if (problem !== undefined) throw new CommandError(`${path}: ${problem}`)
  return profile
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`the profile ${path} is not JSON`)
  }
}
