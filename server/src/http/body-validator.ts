import { describeErrors } from '@chancery/contract'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * Makes a function that takes a JSON body of exactly this shape, or throws what `refuse` makes of what is wrong with it and where:
 * each door has errors of its own.
 */
export function createBodyValidator<S extends TSchema>(
  schema: S,
  refuse: (message: string) => Error,
): (body: unknown) => Static<S> {
  const check = Compile(schema)
  return body => {
    if (check.Check(body)) return body as Static<S>
    const [problem] = describeErrors(schema, check.Errors(body))
    throw refuse(
      `Invalid request body: ${problem ? `${problem.path} ${problem.reason}`.trim() : 'it must be a JSON object'}.`,
    )
  }
}
