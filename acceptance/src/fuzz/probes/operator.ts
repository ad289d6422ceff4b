import fc from 'fast-check'
import { type Body, bodiesFor } from '../bodies.ts'
import type { Operation } from '../document.ts'
import { type Draw, drawsOf } from '../draw.ts'
import { type Probe, probe } from '../probe.ts'
import { type Call, Finding, type Session } from '../session.ts'

const weights = { known: 12, nobody: 1, wrong: 1 }

/** Every operation of the private door, by tokens of every role: what may not be sent is refused, and nothing fails. */
export const operatorCalls = (session: Session): Probe[] =>
  session.api.operations.map(operation =>
    probe({
      name: `operator ${operation.id}`,
      // An archive of everything is long in the making.
      weight: operation.responses[200]?.content?.['application/gzip'] ? 0.2 : operation.body ? 6 : 2,
      draws: fc.tuple(drawsOf(session, operation, weights), bodiesFor(session, operation)),
      async check([draw, body]) {
        const call: Call = {
          ...draw.call,
          headers: {
            ...draw.call.headers,
            ...(body.type === undefined ? {} : { 'content-type': body.type }),
          },
          ...(body.text === undefined ? {} : { body: body.text }),
        }
        const { status } = await session.ask(operation, call)
        const wrong = whatIsWrong(operation, draw, body)
        if (wrong && !wrong.statuses(status)) throw new Finding([`${status}, although ${wrong.what}`], call)
      },
    }),
  )

/** A body that is nothing is refused while it is read; and a token may have been revoked by an earlier call. */
const isNotLetIn = (status: number) => [400, 401, 403].includes(status)
const isRefusal = (status: number) => status >= 400 && status < 500

function whatIsWrong({ roles = [] }: Operation, draw: Draw, { isTaken, type }: Body) {
  const { caller } = draw.call
  if (caller.kind !== 'known')
    return { what: 'no valid token came with it', statuses: (status: number) => status === 401 }
  if (!roles.some(role => caller.scopes.includes(role)))
    return {
      what: 'its token lacks the role',
      statuses: isNotLetIn,
    }
  // The place of a stream is in its lines: headers are for JSON.
  const verdict = type === 'application/x-ndjson' ? draw.queryVerdict : draw.verdict
  if (verdict === 'bad') return { what: 'a parameter is wrong', statuses: isRefusal }
  if (draw.strange.some(name => /^\w+$/.test(name) && name !== '__proto__'))
    return { what: 'it has an unknown parameter', statuses: isRefusal }
  return isTaken ? undefined : { what: 'the document does not take its body', statuses: isRefusal }
}
