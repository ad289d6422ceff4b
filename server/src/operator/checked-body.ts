import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { ApiError } from '../http/api-error.ts'

/** Makes a function that takes a JSON body of exactly this shape, or says what is wrong with it and where. */
export function bodyReader<S extends TSchema>(schema: S): (body: unknown) => Static<S> {
  const check = Compile(schema)
  return body => {
    if (check.Check(body)) return body as Static<S>
    const error = check.Errors(body).find(({ keyword }) => keyword !== 'boolean')
    const place = error?.instancePath ? `${error.instancePath} ` : ''
    throw new ApiError(
      'bad_request',
      `The body is not as it should be: ${place}${error?.message ?? 'no JSON object'}.`,
    )
  }
}
