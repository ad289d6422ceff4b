import { METHODS } from 'node:http'
import fc from 'fast-check'
import type { Operation } from '../document.ts'
import { drawnCaller } from '../draw.ts'
import { type Probe, probe } from '../probe.ts'
import { documentedProblems } from '../response-problems.ts'
import { type Call, ProbeError, type Session } from '../session.ts'

/** CONNECT asks a proxy for a tunnel: an HTTP client sends no path with it. */
const methods = METHODS.filter(method => method !== 'CONNECT')
const bodies = [undefined, undefined, '', '{}', '{"a":', 'x'.repeat(5_000)]

/** Every method on every path, under every base: what is not documented is 405, and Allow says what would be answered. */
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
      // What is answered without being documented is HEAD, which is like GET: another question.
      if (allowed.includes(method) && method !== operation.method) return fail(problems, call)
      const answer = await session.send(call)
      if (method === operation.method) {
        const isRight = answer.status < 500
        return fail([...problems, ...(isRight ? [] : [`${answer.status} to a ${method} with a body`])], call)
      }
      const described = operation.responses[405] ?? operation.responses.default
      if (answer.status !== 405) problems.push(`${method} is answered with ${answer.status}, not with 405`)
      else if (described) problems.push(...documentedProblems(session.checker, described, answer))
      if (answer.status === 405 && answer.responseHeaders.allow !== allowed.join(', '))
        problems.push(`405 says Allow: ${answer.responseHeaders.allow}, and OPTIONS ${allowed.join(', ')}`)
      return fail(problems, call)
    },
  })
}

const fail = (problems: readonly string[], call: Call) => {
  if (problems.length > 0) throw new ProbeError(problems, call)
}

async function allowedMethods(session: Session, target: string): Promise<string[]> {
  const caller = session.callers.find(({ kind }) => kind === 'nobody') ?? session.callers[0]
  if (!caller) return []
  const call: Call = { method: 'OPTIONS', target, caller }
  const { status, responseHeaders, bytes } = await session.send(call)
  const problems = [
    ...(status === 204 ? [] : [`OPTIONS is answered with ${status}, not with 204`]),
    ...(bytes === 0 ? [] : ['OPTIONS is answered with a body']),
    ...(responseHeaders.allow ? [] : ['OPTIONS is answered without Allow']),
  ]
  fail(problems, call)
  return String(responseHeaders.allow).split(', ')
}

/** A path with ids of the world in the places of its names; with a word where it has none. */
export const fill = ({ values }: Session, operation: Operation): string =>
  operation.path.replaceAll(/\{\w+\}/g, () => values.inPath(operation)[0] ?? 'x')
