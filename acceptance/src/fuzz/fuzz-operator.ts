import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Client } from '../client.ts'
import { digText } from '../json.ts'
import { type Body, bodiesFor } from './bodies.ts'
import { anonymous, type Caller } from './callers.ts'
import { type Operation, readApi } from './document.ts'
import { type Draw, drawsOf } from './draw.ts'
import { type KnownValues, learnValues } from './known-values.ts'
import { type Probe, probe } from './probe.ts'
import { type RunOptions, runProbes } from './run.ts'
import { type Call, openSession, ProbeError, type Session } from './session.ts'

const rounds = 2

/** Fuzzes the operator API in rounds, each with the ids that the one before created. Returns the number of failures. */
export async function fuzzOperator(
  client: Client,
  world: KnownValues,
  { seed, requests, ...options }: RunOptions,
): Promise<Pick<Session, 'count' | 'statusCounts'> & { failures: number }> {
  const { operator } = client.settings
  if (!operator) throw new Error('the operator API is not configured')
  const api = await readApi(operator.url)
  const callers = await makeCallers(client, operator.token)
  const session = openSession({ api, callers, values: world, isFrozen: false })
  let failures = 0
  for (let round = 0; round < rounds; round += 1) {
    const own = await learnValues(api, target => client.requestOperator('GET', target))
    session.values = { ...own, named: name => [...own.named(name), ...world.named(name)] }
    failures += await runProbes(session, operatorCalls(session), {
      ...options,
      seed: seed + round,
      requests: requests / rounds,
    })
  }
  session.close()
  return { count: session.count, statusCounts: session.statusCounts, failures }
}

/** A token of every role, and an invalid one. */
async function makeCallers(client: Client, adminToken: string): Promise<Caller[]> {
  const ofToken = (name: string, token: string, roles: string[]): Caller => ({
    name,
    authorization: `Bearer ${token}`,
    kind: 'known',
    scopes: roles,
    hasNation: false,
  })
  const main = ofToken('OPERATOR_TOKEN', adminToken, ['admin', 'facts', 'identity', 'metrics'])
  const wrong: Caller = {
    ...anonymous,
    name: 'a wrong token',
    kind: 'wrong',
    authorization: 'Bearer cht_wrong',
  }
  const others = ['facts', 'identity', 'metrics'].map(async role => {
    const { json } = await client.requestOperator('POST', '/tokens', {
      name: `fuzz ${role} ${randomUUID()}`,
      roles: [role],
    })
    return ofToken(`TOKEN_OF_${role.toUpperCase()}`, digText(json, 'token'), [role])
  })
  // Mostly the one that may do everything: the others are refused before anything is looked at.
  return [...Array<Caller>(9).fill(main), ...(await Promise.all(others)), anonymous, wrong]
}

const weights = { known: 12, anonymous: 1, wrong: 1 }

/** Every operation of the operator API, by tokens of every role: invalid requests are rejected, and nothing fails. */
const operatorCalls = (session: Session): Probe[] =>
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
        const { status } = await session.request(operation, call)
        const wrong = expectedRefusal(operation, draw, body)
        if (wrong && !wrong.statuses(status))
          throw new ProbeError([`${status}, although ${wrong.what}`], call)
      },
    }),
  )

/** A body that is nothing is refused while it is read; and a token may have been revoked by an earlier call. */
const isNotLetIn = (status: number) => [400, 401, 403].includes(status)
const isRefusal = (status: number) => status >= 400 && status < 500

function expectedRefusal({ roles = [] }: Operation, draw: Draw, { isValid, type }: Body) {
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
  if (draw.unknownParameters.some(name => /^\w+$/.test(name) && name !== '__proto__'))
    return { what: 'it has an unknown parameter', statuses: isRefusal }
  return isValid ? undefined : { what: 'the document does not take its body', statuses: isRefusal }
}
