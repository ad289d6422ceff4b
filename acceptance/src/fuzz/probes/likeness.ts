import type { Exchange } from '../../exchange.ts'
import { isStream, type Operation } from '../document.ts'
import { type Draw, drawsOf } from '../draw.ts'
import { type Probe, probe } from '../probe.ts'
import { type Call, Finding, type Session } from '../session.ts'

/** What differs from answer to answer, whoever asks. */
const passing = [
  'date',
  'x-request-id',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'connection',
  'keep-alive',
  'transfer-encoding',
]

/**
 * What must be like the answer to a GET: that of the other bases, that of HEAD but for the body, that with the tag of the first
 * answer (304), and that which unknown parameters are added to.
 */
export const likeness = (session: Session): Probe[] =>
  session.api.operations
    .filter(operation => operation.method === 'GET' && !isStream(operation))
    .map(operation =>
      probe({
        name: `likeness ${operation.id}`,
        weight: 1,
        cost: 5,
        draws: drawsOf(session, operation),
        async check({ call }: Draw) {
          const first = await session.ask(operation, call)
          // Every call of a key changes what that key is.
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
  const answer = await session.ask(operation, twin)
  if (!session.isFrozen) return
  if (!answer.raw.equals(first.raw)) throw new Finding([`it is not answered like ${call.target}`], twin)
}

async function compareHead(session: Session, operation: Operation, call: Call, first: Exchange) {
  const head = { ...call, method: 'HEAD' }
  const answer = await session.send(head)
  if (answer.status === 405) return
  const problems = answer.bytes === 0 ? [] : ['HEAD is answered with a body']
  if (answer.status !== first.status)
    problems.push(`HEAD is answered with ${answer.status}, GET with ${first.status}`)
  const names = new Set([...Object.keys(first.answered), ...Object.keys(answer.answered)])
  for (const name of names) {
    const [one, two] = [first.answered[name], answer.answered[name]].map(String)
    const isMoving = !session.isFrozen && ['etag', 'content-length'].includes(name)
    if (one !== two && !passing.includes(name) && !isMoving)
      problems.push(`the header ${name} is ${two} with HEAD, and ${one} with GET`)
  }
  if (
    operation.responses[200]?.headers.etag &&
    !answer.answered['cache-control']?.includes('no-store') &&
    !answer.answered.etag
  )
    problems.push('what may be kept has no ETag')
  if (problems.length > 0) throw new Finding(problems, head)
}

async function compareTagged(session: Session, operation: Operation, call: Call, { answered }: Exchange) {
  const { etag } = answered
  if (etag === undefined) return
  for (const tag of [etag, `W/${etag}`, `"another", ${etag}`]) {
    const again = { ...call, headers: { ...call.headers, 'if-none-match': tag } }
    const answer = await session.ask(operation, again)
    if (!session.isFrozen && answer.status === 200) continue
    const problems = answer.status === 304 ? [] : [`${answer.status} instead of 304`]
    if (answer.answered.etag !== etag) problems.push(`the ETag is ${answer.answered.etag}, and was ${etag}`)
    if (problems.length > 0) throw new Finding(problems, again)
  }
}
