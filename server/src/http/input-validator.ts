import { type BodyOf, describeErrors, type QueryOf, type SchemaProblem } from '@chancery/contract'
import type { FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazy } from './lazy.ts'

/** The input of an operation, as schemas. */
export interface InputSchemas {
  /** Parameters are of type string, integer or boolean. Without it the operation takes none. */
  query?: TObject
  /** `isOptional`: a missing body counts as `{}`. Without it the body is passed on as it was parsed. */
  body?: { schema: TSchema; isOptional?: boolean }
}

/** Makes the error of a contract from a message, and from the mistake in the body where there is one. */
type MakeError = (message: string, problem?: SchemaProblem) => Error

export interface Input<O> {
  /** The path parameter; empty where the path has none. */
  id: string
  query: QueryOf<O>
  body: BodyOf<O>
}

/**
 * Compiles the validation of an operation's path parameter, query and body. `invalid` makes the error of its contract.
 * Unlike the public API, which ignores unknown parameters, it rejects them: a misspelled one must not count as absent in an operation
 * that changes something.
 */
export function createInputValidator<O extends InputSchemas>(
  { query, body }: O,
  invalid: MakeError,
): (req: FastifyRequest) => Input<O> {
  const readQuery = createQueryValidator(query, invalid)
  const readBody = body && createBodyValidator(body.schema, invalid)
  return req => {
    const [id = ''] = Object.values(req.params as Record<string, string>)
    const given = body?.isOptional && req.body === undefined ? {} : req.body
    return {
      id,
      query: readQuery(req.query, req.url),
      body: readBody ? readBody(given) : given,
    } as Input<O>
  }
}

/** Compiles the validation of a JSON body: the function returns a body of exactly this schema, or throws what `invalid` makes of the first error. */
export function createBodyValidator<S extends TSchema>(
  schema: S,
  invalid: MakeError,
): (body: unknown) => Static<S> {
  const check = lazy(() => Compile(schema))
  return body => {
    if (check().Check(body)) return body as Static<S>
    const [problem] = describeErrors(schema, check().Errors(body))
    throw invalid(
      `Invalid request body: ${problem ? `${problem.path} ${problem.reason}`.trim() : 'it must be a JSON object'}.`,
      problem,
    )
  }
}

function createQueryValidator(query: TObject | undefined, invalid: MakeError) {
  const known = query?.properties ?? {}
  const check = query && lazy(() => Compile(query))
  return (given: unknown, url: string): Record<string, unknown> => {
    if (!isDecodable(url)) throw invalid('The query is not percent-encoded UTF-8.')
    const values: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(Object(given))) {
      const schema = Object.hasOwn(known, name) ? known[name] : undefined
      if (schema === undefined) throw invalid(`The operation has no parameter ${JSON.stringify(name)}.`)
      if (typeof value !== 'string') throw invalid(`Parameter ${name} must be given only once.`)
      values[name] = parse((schema as { type?: unknown }).type, value)
    }
    if (check && !check().Check(values)) {
      const error = check()
        .Errors(values)
        .find(({ keyword }) => keyword !== 'boolean')
      throw invalid(`Parameter ${error?.instancePath.slice(1)} ${error?.message}.`)
    }
    return values
  }
}

/** Node's parser passes on what it cannot decode, which would then select something else. */
function isDecodable(url: string): boolean {
  const start = url.indexOf('?')
  try {
    if (start !== -1) decodeURIComponent(url.slice(start + 1))
    return true
  } catch {
    return false
  }
}

/** The value of a text by the type of its schema; the text itself where it is none, so that the schema rejects it. */
function parse(type: unknown, text: string): unknown {
  if (type === 'integer' && /^\d{1,16}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}
