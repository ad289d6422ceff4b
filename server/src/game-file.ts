import { readFile } from 'node:fs/promises'
import {
  type Contract,
  contractFor,
  demoProfile,
  type Profile,
  profileProblems,
  profileSchema,
} from '@chancery/contract'
import { Compile } from 'typebox/compile'
import { StartupError } from './startup-error.ts'

/** The contract for the game of this profile file; for the demo game without one. */
export async function readContract(file: string | undefined): Promise<Contract> {
  if (file === undefined) return contractFor(demoProfile)
  const text = await readFile(file, 'utf8').catch(() => {
    throw new StartupError(`CHANCERY_GAME_FILE: the file ${file} cannot be read`)
  })
  return contractFor(parseProfile(text, file))
}

function parseProfile(text: string, file: string): Profile {
  let profile: unknown
  try {
    profile = JSON.parse(text)
  } catch {
    throw new StartupError(`CHANCERY_GAME_FILE: ${file} is not JSON`)
  }
  const check = Compile(profileSchema)
  if (!check.Check(profile)) {
    const error = check.Errors(profile).find(({ keyword }) => keyword !== 'boolean')
    throw new StartupError(
      `CHANCERY_GAME_FILE: ${file}: ${error?.instancePath || '/'} ${error?.message ?? 'is wrong'}`,
    )
  }
  const [problem] = profileProblems(profile)
  if (problem) throw new StartupError(`CHANCERY_GAME_FILE: ${file}: ${problem}`)
  return profile
}
