import { readFile } from 'node:fs/promises'
import { type Contract, contractFor, demoProfile, ProfileError, parseProfile } from '@chancery/contract'
import { lazy } from '../http/lazy.ts'
import { StartupError } from './startup-error.ts'

const demoContract = lazy(() => contractFor(demoProfile))

/** The contract of the game in a profile file; without a file that of the demo game. */
export async function readContract(file: string | undefined): Promise<Contract> {
  if (file === undefined) return demoContract()
  const text = await readFile(file, 'utf8').catch(() => {
    throw new StartupError(`CHANCERY_GAME_FILE: the file ${file} cannot be read`)
  })
  try {
    return contractFor(parseProfile(text))
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error
    const lines = error.message.split('\n').map(problem => `CHANCERY_GAME_FILE: ${file}: ${problem}`)
    throw new StartupError(lines.join('\n'))
  }
}
