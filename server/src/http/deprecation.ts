import type { Contract, Deprecation, Operation } from '@chancery/contract'
import { parameterNamed } from './parameters.ts'

/** The headers of RFC 9745 and RFC 8594. */
const headersOf = ({ since, sunset }: Deprecation): Record<string, string> => ({
  deprecation: `@${Math.floor(Date.parse(since) / 1000)}`,
  sunset: new Date(sunset).toUTCString(),
})

/**
 * The Deprecation and Sunset headers of an operation: of the operation itself, a field that it returns, or a parameter of the request. Of
 * several, the one with the earliest sunset. Undefined where nothing is deprecated.
 */
export function createDeprecations(contract: Contract, operation: Operation) {
  const fields = operation.returns.resources.flatMap(name =>
    Object.values(contract.resources[name].fields).map(field => field['x-deprecated']),
  )
  const always = [operation.deprecated, ...fields].filter(part => part !== undefined)
  const byParameter = Object.entries(operation.parameters).flatMap(([name, { deprecated }]) =>
    deprecated ? [[name, deprecated] as const] : [],
  )
  if (always.length + byParameter.length === 0) return undefined
  return (query: URLSearchParams): Record<string, string> => {
    const names = new Set([...query.keys()].map(name => parameterNamed(operation.parameters, name)))
    const given = byParameter.filter(([name]) => names.has(name)).map(([, deprecation]) => deprecation)
    const [first] = [...always, ...given].sort(
      (one, other) => Date.parse(one.sunset) - Date.parse(other.sunset),
    )
    return first ? headersOf(first) : {}
  }
}
