import type { Exchange } from '../../exchange.ts'
import { isStream, type Operation } from '../document.ts'
import { type Draw, drawsOf } from '../draw.ts'
import { type Probe, probe } from '../probe.ts'
import { type Call, ProbeError, type Session } from '../session.ts'

/** Headers that differ from response to response. */
const varyingHeaders = [
  'date',
  'x-request-id',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'connection',
  'keep-alive',
  'transfer-encoding',
]

/** Compares the response to a GET with that of the other base and unknown parameters, of HEAD, and with its own entity tag (304). */
export const consistency = (session: Session): Probe[] =>
  session.api.operations
    .filter(operation => operation.method === 'GET' && !isStream(operation))
    .map(operation =>
      probe({
        name: `consistency ${operation.id}`,
        weight: 1,
        cost: 5,
        draws: drawsOf(session, operation),
        async check({ call }: Draw) {
          const first = await session.request(operation, call)
          // Each request changes the usage that it returns.
          if (first.status !== 200 || operation.path === '/me/key') return
          await compareTwins(session, operation, call, first)
          await compareHead(session, operation, call, first)
          await compareTagged(session, operation, call, first)
        },
      }),
    )

async function compareTwins(session: Session, operation: Operation, call: Call, first: Exchange) {
  const own = session.api.bases.find(base => call.target.startsWith(`${base}/`)) ?? ''
  const below = call.target.slice(own.length)
  const more = `${below}${below.includes('?') ? '&' : '?'}an_unknown_parameter=1`
  const other = session.api.bases.find(base => base !== own) ?? own
  const twin = { ...call, target: `${other}${more}` }
  const response = await session.request(operation, twin)
  if (!session.isFrozen) return
  if (!response.raw.equals(first.raw))
    throw new ProbeError([`its response differs from ${call.target}`], twin)
}

async function compareHead(session: Session, operation: Operation, call: Call, first: Exchange) {
  const head = { ...call, method: 'HEAD' }
  const response = await session.send(head)
  if (response.status === 405) return
  const problems = response.bytes === 0 ? [] : ['the response to HEAD has a body']
  if (response.status !== first.status)
    problems.push(`HEAD has the status ${response.status}, GET ${first.status}`)
  const names = new Set([...Object.keys(first.responseHeaders), ...Object.keys(response.responseHeaders)])
  for (const name of names) {
    const [one, two] = [first.responseHeaders[name], response.responseHeaders[name]].map(String)
    const isMoving = !session.isFrozen && ['etag', 'content-length'].includes(name)
    if (one !== two && !varyingHeaders.includes(name) && !isMoving)
      problems.push(`the header ${name} is ${two} with HEAD, and ${one} with GET`)
  }
  if (
    operation.responses[200]?.headers.etag &&
    !response.responseHeaders['cache-control']?.includes('no-store') &&
    !response.responseHeaders.etag
  )
    problems.push('a cacheable response has no ETag')
  if (problems.length > 0) throw new ProbeError(problems, head)
}

async function compareTagged(
  session: Session,
  operation: Operation,
  call: Call,
  { responseHeaders }: Exchange,
) {
  const { etag } = responseHeaders
  if (etag === undefined) return
  for (const tag of [etag, `W/${etag}`, `"another", ${etag}`]) {
    const again = { ...call, headers: { ...call.headers, 'if-none-match': tag } }
    const response = await session.request(operation, again)
    if (!session.isFrozen && response.status === 200) continue
    const problems = response.status === 304 ? [] : [`${response.status} instead of 304`]
    if (response.responseHeaders.etag !== etag)
      problems.push(`the ETag is ${response.responseHeaders.etag}, and was ${etag}`)
    if (problems.length > 0) throw new ProbeError(problems, again)
  }
}
