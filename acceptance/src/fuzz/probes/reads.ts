import { isStream, type Operation } from '../document.ts'
import { type Draw, drawsOf } from '../draw.ts'
import { type Probe, probe } from '../probe.ts'
import { ProbeError, type Session } from '../session.ts'

/** Every operation, by all callers, with valid and invalid requests: invalid ones are rejected, valid ones succeed. */
export const reads = (session: Session): Probe[] =>
  session.api.operations
    .filter(({ method }) => method === 'GET')
    .map(operation =>
      probe({
        name: `reads ${operation.id}`,
        weight: isStream(operation) ? 2 : 3 + operation.parameters.length,
        draws: drawsOf(session, operation),
        async check(draw) {
          const { status, responseHeaders } = await session.request(operation, draw.call)
          const right = rightStatuses(session, operation, draw)
          if (status !== 429 && !right.has(status))
            throw new ProbeError([`${status} instead of ${[...right].join(' or ')}`], draw.call)
          const isDeprecated = operation.isDeprecated || usesDeprecated(operation, draw)
          if (isDeprecated && status === 200 && !(responseHeaders.deprecation && responseHeaders.sunset))
            throw new ProbeError(
              ['the request uses a deprecated operation or parameter, and the response lacks the headers'],
              draw.call,
            )
        },
      }),
    )

const usesDeprecated = ({ parameters }: Operation, { given }: Draw) =>
  parameters.some(({ name, deprecated }) => deprecated && given.has(name))

/** A request line of more bytes than most servers take. */
const requestLineBytes = 8_000

/** The statuses that the document allows for a call, in the order of the checks: key, parameters, scope, item. */
function rightStatuses(session: Session, operation: Operation, draw: Draw): Set<number> {
  const { caller } = draw.call
  const isDocumented = (status: number) => operation.responses[status] !== undefined
  const tooLong = draw.call.target.length > requestLineBytes ? [431] : []
  if (caller.kind === 'wrong') return new Set([401, ...tooLong])
  // A number that is too large may also be one that the log does not have; a path that cannot be decoded is not found.
  const rejected = [400, 410].filter(isDocumented)
  const [path = ''] = draw.call.target.split('?')
  // The header takes precedence: a number in `after` that is too large is not used then.
  const overridden = draw.given.has('Last-Event-ID') && draw.given.has('after') ? access(operation, draw) : []
  if (draw.verdict === 'bad')
    return new Set([...rejected, ...overridden, ...tooLong, ...(path.endsWith('/') ? [404] : [])])
  const gone = operation.path.includes('{') && !draw.idsKnown ? [400, 404, 410] : []
  return new Set(
    [
      ...access(operation, draw),
      ...gone,
      ...(draw.verdict === 'unsure' ? rejected : []),
      ...(draw.given.has('after') || draw.given.has('Last-Event-ID') ? [410] : []),
      ...tooLong,
      ...(draw.given.has('If-None-Match') ? [304] : []),
      ...(session.isFrozen ? [] : [404, 410]),
      ...(operation.needsKey && !caller.hasNation ? [404] : []),
    ].filter(status => isDocumented(status) || status === 431),
  )
}

/** The statuses by caller: without a key, without a scope, and without the right in the game. */
function access({ needsKey, scope, includeScopes }: Operation, { call: { caller }, given }: Draw): number[] {
  const included = (given.get('include') ?? '').split(',').flatMap(word => includeScopes[word.trim()] ?? [])
  if (caller.kind === 'anonymous') return needsKey || included.length > 0 ? [401] : [200]
  const wanted = [...(scope ? [scope] : []), ...included]
  if (wanted.some(each => !caller.scopes.includes(each))) return [403]
  return included.length > 0 && !needsKey ? [200, 403] : [200]
}
