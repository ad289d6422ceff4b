import fc from 'fast-check'
import { drawnCaller } from '../draw.ts'
import { brokenEncodings, words } from '../odd-texts.ts'
import { type Probe, probe } from '../probe.ts'
import { documentedProblems } from '../response-problems.ts'
import { type Call, ProbeError, type Session } from '../session.ts'

const odd = [
  ...words(`
  / // . .. %2e%2e %2f %00 %0d%0a ; ;a=b # ? * ~ :id {id} %7Bid%7D @ index.html %e2%98%83 NATIONS
  Nations nations.json api v1 v2 nations/`),
  '',
  'x'.repeat(300),
  'x'.repeat(20_000),
  ...brokenEncodings,
]

/** A request line of more bytes than most servers take. */
const requestLineBytes = 8_000

/** Undocumented paths: the response is an error of the usual shape, with the usual headers. */
export function oddPaths(session: Session): Probe {
  const { bases, operations } = session.api
  const documented = operations.flatMap(({ path }) => path.split('/').filter(Boolean))
  const segment = fc.oneof(fc.constantFrom(...odd), fc.constantFrom(...documented))
  return probe({
    name: 'paths',
    weight: 4,
    draws: fc.record({
      base: fc.constantFrom(...bases),
      segments: fc.array(segment, { minLength: 1, maxLength: 5 }),
      method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'DELETE', 'PROPFIND'),
      caller: drawnCaller(session.callers),
    }),
    async check({ base, segments, method: drawn, caller }) {
      // A request that is too long is rejected before its method is read: even to HEAD the response has a body, which no client expects.
      const method = segments.join('/').length > requestLineBytes ? 'GET' : drawn
      const call: Call = { method, caller, target: `${base}/${segments.join('/')}` }
      const response = await session.send(call)
      const { status } = response
      const error = operations.find(({ responses }) => responses.default)?.responses.default
      const problems: string[] = []
      if (status >= 500) problems.push(`${status}: the server failed`)
      if (status >= 400 && error) problems.push(...documentedProblems(session.checker, error, response))
      const isOther = method !== 'GET' && method !== 'HEAD'
      if (isOther && ![400, 405, 431].includes(status)) problems.push(`${method} has the status ${status}`)
      if (status === 405 && !response.responseHeaders.allow) problems.push('405 without Allow')
      if (problems.length > 0) throw new ProbeError(problems, call)
    },
  })
}
