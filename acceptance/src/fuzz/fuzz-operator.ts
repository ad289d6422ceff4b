import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Client } from '../client.ts'
import { digText } from '../json.ts'
import { anonymous, type Caller, known, wrong } from './callers.ts'
import { type Operation, readApi, type Schema } from './document.ts'
import { type Draw, drawsOf } from './draw.ts'
import { type KnownValues, learnValues } from './known-values.ts'
import { type Probe, probe } from './probe.ts'
import { type RunOptions, runProbes } from './run.ts'
import { type Call, openSession, ProbeError, type Session } from './session.ts'
import { mutated, valuesFor } from './values.ts'

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
  const ofToken = (name: string, token: string, roles: string[]) =>
    known(name, `Bearer ${token}`, roles, false)
  const main = ofToken('OPERATOR_TOKEN', adminToken, ['admin', 'facts', 'identity', 'metrics'])
  const invalid = wrong('a wrong token', 'Bearer cht_wrong')
  const others = ['facts', 'identity', 'metrics'].map(async role => {
    const { json } = await client.requestOperator('POST', '/tokens', {
      name: `fuzz ${role} ${randomUUID()}`,
      roles: [role],
    })
    return ofToken(`TOKEN_OF_${role.toUpperCase()}`, digText(json, 'token'), [role])
  })
  // Mostly the admin: other tokens are rejected early.
  return [...Array<Caller>(9).fill(main), ...(await Promise.all(others)), anonymous, invalid]
}

const weights = { known: 12, anonymous: 1, wrong: 1 }

/** Every operation of the operator API, by tokens of every role: invalid requests are rejected, and nothing fails. */
const operatorCalls = (session: Session): Probe[] =>
  session.api.operations.map(operation =>
    probe({
      name: `operator ${operation.id}`,
      // An archive takes long to create.
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
        const rejection = expectedRejection(operation, draw, body)
        if (rejection && !rejection.statuses(status))
          throw new ProbeError([`${status}, although ${rejection.what}`], call)
      },
    }),
  )

/** An invalid body is rejected while it is read, and a token may have been revoked by an earlier call. */
const isUnauthorized = (status: number) => [400, 401, 403].includes(status)
const isRejection = (status: number) => status >= 400 && status < 500

function expectedRejection({ roles = [] }: Operation, draw: Draw, { isValid, type }: Body) {
  const { caller } = draw.call
  if (caller.kind !== 'known')
    return { what: 'it has no valid token', statuses: (status: number) => status === 401 }
  if (!roles.some(role => caller.scopes.includes(role)))
    return {
      what: 'its token lacks the role',
      statuses: isUnauthorized,
    }
  // Lines contain their own position; headers are for JSON.
  const verdict = type === 'application/x-ndjson' ? draw.queryVerdict : draw.verdict
  if (verdict === 'bad') return { what: 'a parameter is wrong', statuses: isRejection }
  if (draw.unknownParameters.some(name => /^\w+$/.test(name) && name !== '__proto__'))
    return { what: 'it has an unknown parameter', statuses: isRejection }
  return isValid ? undefined : { what: 'the document does not allow its body', statuses: isRejection }
}

/** A body as it is sent. */
interface Body {
  text: string | undefined
  type: string | undefined
  /** Whether the document allows it. If not, it must be rejected. */
  isValid: boolean
}

const oddBodies = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '{"__proto__":{"a":1}}',
  '\0',
  '['.repeat(5_000),
  '{"a":1}{"a":2}',
]
const oddTypes = [undefined, 'text/plain', 'application/xml', 'application/', 'x']

/** Bodies for an operation: valid ones, ones with one mutation, and ones that are not JSON. */
function bodiesFor(session: Session, operation: Operation): fc.Arbitrary<Body> {
  const { body } = operation
  const none: Body = { text: undefined, type: undefined, isValid: !body?.isRequired }
  if (!body) return fc.constant(none)
  const typed = Object.entries(body.content).map(([type, { schema }]) =>
    schema.contentSchema
      ? linesOf(session, type, schema.contentSchema)
      : jsonOf(session, operation, type, schema),
  )
  // Lines are processed one by one whatever the content type: only JSON can have a wrong one.
  const wrongType = fc.constantFrom(...oddTypes).map((type): Body => ({ text: '{}', type, isValid: false }))
  return fc.oneof(...typed.map(arbitrary => ({ weight: 12, arbitrary })), fc.constant(none), wrongType)
}

function jsonOf(session: Session, operation: Operation, type: string, schema: Schema): fc.Arbitrary<Body> {
  const { checker } = session
  const good = valuesFor(session, schema)
  const judged = (value: unknown): Body => ({
    text: JSON.stringify(value),
    type,
    isValid: checker.accepts(schema, value),
  })
  const odd = fc.constantFrom(...oddBodies).map((text): Body => {
    const isOptional = text === '' && operation.body?.isRequired === false
    return { text, type, isValid: isOptional || acceptsText(session, schema, text) }
  })
  return fc.oneof(
    { weight: 6, arbitrary: good.map(judged) },
    { weight: 4, arbitrary: mutated(good).map(judged) },
    { weight: 1, arbitrary: odd },
  )
}

function acceptsText({ checker }: Session, schema: Schema, text: string): boolean {
  try {
    return checker.accepts(schema, JSON.parse(text))
  } catch {
    return false
  }
}

/** Valid and invalid lines. An invalid line is reported by a line: the body as a whole is accepted. */
function linesOf(session: Session, type: string, schema: Schema): fc.Arbitrary<Body> {
  const good = valuesFor(session, schema)
  const line = fc.oneof(
    { weight: 8, arbitrary: good.map(value => JSON.stringify(value)) },
    { weight: 2, arbitrary: mutated(good).map(value => JSON.stringify(value) ?? '') },
    fc.constantFrom('', '{', '\0', 'null', '[]', ' ', '{"op":"put"}', '{"op":"commit","batch":"b"}'),
  )
  return fc
    .array(line, { maxLength: 6 })
    .map((lines): Body => ({ text: lines.map(each => `${each}\n`).join(''), type, isValid: true }))
}
