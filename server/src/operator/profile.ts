import { operatorOperations, type Profile, ProfileError, parseProfile } from '@chancery/contract'
import { notFound } from '../http/http-error.ts'
import { compareProfile, comparisonDocument, readStoredProfile } from '../profile/adopt-profile.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'
import { OperatorError } from './operator-error.ts'

/** Below the 1,000 characters of an error message. */
const problemsLengthMax = 900

/** The stored game profile, and what another one would change. */
export function profileRoutes(
  define: DefineOperatorOperation,
  { pools, target }: Pick<OperatorContext, 'pools' | 'target'>,
): void {
  define(operatorOperations.profileGet, async () => {
    const profile = await readStoredProfile(pools.ingest)
    if (!profile) throw notFound('stored profile')
    return { body: { profile } }
  })

  define(operatorOperations.profileCompare, async ({ body }) => ({
    body: comparisonDocument(await compareProfile(target, profileOf(body.profile))),
  }))
}

function profileOf(value: unknown): Profile {
  try {
    return parseProfile(JSON.stringify(value))
  } catch (error) {
    if (error instanceof ProfileError) throw new OperatorError('bad_request', firstProblems(error.message))
    throw error
  }
}

/** The first problems of a profile, as many as an error message can hold. `chancery profile check` prints all. */
function firstProblems(message: string): string {
  const problems = message.split('\n')
  const shown: string[] = []
  let length = 0
  for (const problem of problems) {
    length += problem.length + 1
    if (length > problemsLengthMax) break
    shown.push(problem)
  }
  const more = problems.length - shown.length
  return more === 0 ? message : [...shown, `and ${more} more`].join('\n')
}
