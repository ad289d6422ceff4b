import type { OperatorOperation, QueryOf } from '@chancery/contract'
import { Compile } from 'typebox/compile'
import { OperatorError } from './operator-error.ts'

/**
 * Makes a function that reads the query of an operation, as it was parsed and with the URL that it stood in. On a door by which things are changed a mistyped parameter must not pass
 * as none, so one that is not known is refused.
 */
export function queryReader<O extends OperatorOperation>({
  query,
}: O): (given: unknown, url: string) => QueryOf<O> {
  const known = query?.properties ?? {}
  const check = query && Compile(query)
  return (given, url) => {
    requireReadable(url)
    const values: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(Object(given))) {
      const schema = Object.hasOwn(known, name) ? known[name] : undefined
      if (schema === undefined)
        throw new OperatorError('bad_request', `The operation has no parameter ${JSON.stringify(name)}.`)
      if (typeof value !== 'string')
        throw new OperatorError('bad_request', `The parameter ${name} is given more than once.`)
      values[name] = parsed((schema as { type?: unknown }).type, value)
    }
    if (check && !check.Check(values)) {
      const error = check.Errors(values).find(({ keyword }) => keyword !== 'boolean')
      const name = error?.instancePath.slice(1)
      throw new OperatorError('bad_request', `Parameter ${name} ${error?.message}.`)
    }
    return values as QueryOf<O>
  }
}

/** What cannot be decoded would be taken as it stands, and ask for something else than was meant. */
function requireReadable(url: string): void {
  const start = url.indexOf('?')
  if (start === -1) return
  try {
    decodeURIComponent(url.slice(start + 1))
  } catch {
    throw new OperatorError('bad_request', 'The query is not percent-encoded UTF-8.')
  }
}

/** The value that a text stands for; the text itself where it stands for none of this type, which the schema then says. */
function parsed(type: unknown, text: string): unknown {
  if (type === 'integer' && /^\d{1,16}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}
