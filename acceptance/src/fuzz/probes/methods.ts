import { METHODS } from 'node:http'
import fc from 'fast-check'
import type { Operation } from '../document.ts'
import { drawnCaller } from '../draw.ts'
import { type Probe, probe } from '../probe.ts'
import { documentedProblems } from '../response-problems.ts'
import { type Call, ProbeError, type Session } from '../session.ts'

/** CONNECT opens a tunnel through a proxy: an HTTP client sends no path with it. */
const methods = METHODS.filter(method => method !== 'CONNECT')
const bodies = [undefined, undefined, '', '{}', '{"a":', 'x'.repeat(5_000)]

/** Every method on every path, under every base: undocumented ones are 405, and Allow lists the others. */
export function undocumentedMethods(session: Session): Probe {
  const { api } = session
  const draws = fc.record({
    operation: fc.constantFrom(...api.operations),
    base: fc.constantFrom(...api.bases),
    method: fc.constantFrom(...methods),
    caller: drawnCaller(session.callers),
    body: fc.constantFrom(...bodies),
  })
  return probe({
    name: 'methods',
    weight: 10,
    cost: 2,
    draws,
    async check({ operation, base, method, caller, body }) {
      const target = `${base}${fill(session, operation)}`
      const call: Call = {
        method,
        target,
        caller,
        ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
      }
      if (method === operation.method && body === undefined)
        return void (await session.request(operation, call))
      const allowed = await allowedMethods(session, target)
      const problems = allowed.includes(operation.method)
        ? []
        : [`OPTIONS does not allow ${operation.method}`]
      // HEAD is not documented and behaves like GET: another probe.
      if (allowed.includes(method) && method !== operation.method) return fail(problems, call)
      const response = await session.send(call)
      if (method === operation.method) {
        const isRight = response.status < 500
        return fail(
          [...problems, ...(isRight ? [] : [`${response.status} to a ${method} with a body`])],
          call,
        )
      }
      const described = operation.responses[405] ?? operation.responses.default
      if (response.status !== 405) problems.push(`${method} has the status ${response.status} instead of 405`)
      else if (described) problems.push(...documentedProblems(session.checker, described, response))
      if (response.status === 405 && response.responseHeaders.allow !== allowed.join(', '))
        problems.push(`405 has Allow: ${response.responseHeaders.allow}, and OPTIONS ${allowed.join(', ')}`)
      return fail(problems, call)
    },
  })
}

const fail = (problems: readonly string[], call: Call) => {
  if (problems.length > 0) throw new ProbeError(problems, call)
}

async function allowedMethods(session: Session, target: string): Promise<string[]> {
  const caller = session.callers.find(({ kind }) => kind === 'anonymous') ?? session.callers[0]
  if (!caller) return []
  const call: Call = { method: 'OPTIONS', target, caller }
  const { status, responseHeaders, bytes } = await session.send(call)
  const problems = [
    ...(status === 204 ? [] : [`OPTIONS has the status ${status} instead of 204`]),
    ...(bytes === 0 ? [] : ['the response to OPTIONS has a body']),
    ...(responseHeaders.allow ? [] : ['the response to OPTIONS has no Allow']),
  ]
  fail(problems, call)
  return String(responseHeaders.allow).split(', ')
}

/** A path with ids of the world in the places of its names; with a word where it has none. */
export const fill = ({ values }: Session, operation: Operation): string =>
  operation.path.replaceAll(/\{\w+\}/g, () => values.inPath(operation)[0] ?? 'x')
