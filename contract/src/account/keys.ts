import Type, { type Static } from 'typebox'
import { limits } from '../limits.ts'
import { scopeNames } from '../scopes.ts'
import {
  count,
  enumOf,
  listOf,
  name,
  nullable,
  patternString,
  strictObject,
  time,
} from '../shared-schemas.ts'
import { dataOf, playerOperation } from './operation.ts'

const members = {
  id: Type.String(),
  name: Type.String(),
  /** The first characters of the key; null for keys made before they were stored. */
  prefix: nullable(Type.String()),
  scopes: listOf(enumOf(scopeNames)),
  /** Requests per minute. */
  limit: Type.Integer(),
  created_at: time(),
  expires_at: nullable(time()),
  revoked_at: nullable(time()),
  last_used_at: nullable(time()),
  calls_today: count(),
  limit_request: nullable(
    strictObject({
      calls_per_minute: Type.Integer(),
      sentence: Type.String(),
      asked_at: time(),
      /** Set when the operator has set a limit since. */
      answered_at: nullable(time()),
      note: nullable(Type.String()),
    }),
  ),
  /** The key that was created when this one was regenerated. */
  replaced_by: nullable(strictObject({ id: Type.String(), prefix: nullable(Type.String()) })),
}
const key = strictObject(members)
export type AccountKey = Static<typeof key>

/** The key itself is returned only once. */
const createdKey = strictObject({ ...members, key: Type.String() })
export type NewAccountKeyResponse = Static<typeof createdKey>

const newKey = strictObject({
  name: name(100),
  scopes: Type.Array(enumOf(scopeNames), { minItems: 1, maxItems: scopeNames.length, uniqueItems: true }),
  /** Null for never. */
  expires_at: Type.Union([time(), Type.Null()]),
})
export type NewAccountKey = Static<typeof newKey>

const limitRequest = strictObject({
  calls_per_minute: Type.Integer({ minimum: limits.keyCalls + 1, maximum: 1_000_000 }),
  sentence: Type.String({ minLength: 10, maxLength: 500 }),
})
export type LimitRequest = Static<typeof limitRequest>

/** Requests in the minute or hour that begins at `at`; `limited` of them were rejected with 429. */
const usageBucket = strictObject({ at: time(), calls: count(), limited: count() })
export type UsageBucket = Static<typeof usageBucket>

const usage = strictObject({
  /** The last hour by minute, oldest first. */
  minutes: listOf(usageBucket),
  /** The last seven days by hour, oldest first. */
  hours: listOf(usageBucket),
  /** Of the last seven days, most requests first. `deprecated`: responses with a Deprecation header. */
  operations: listOf(strictObject({ operation: Type.String(), calls: count(), deprecated: count() })),
  /** Responses with an error, by its code and the parameter that it is about, most first. A parameter whose name was misspelled is followed by `?`. */
  errors: listOf(strictObject({ code: Type.String(), parameter: nullable(Type.String()), calls: count() })),
  statuses: listOf(strictObject({ status: Type.Integer(), calls: count() })),
})
export type KeyUsage = Static<typeof usage>

/** A row of the request log. */
const loggedCall = strictObject({
  request_id: Type.String(),
  at: time(),
  key_id: Type.String(),
  key_name: Type.String(),
  operation: Type.String(),
  status: Type.Integer(),
  duration_ms: Type.Number(),
  /** Null for a response that is not an error, and of requests that an earlier version logged. */
  error_code: nullable(Type.String()),
  error_parameter: nullable(Type.String()),
})
export type LoggedCall = Static<typeof loggedCall>

export const keyOperations = {
  keysList: playerOperation('GET', '/keys', { responses: { 200: dataOf(key) } }),
  keysCreate: playerOperation('POST', '/keys', { body: { schema: newKey }, responses: { 201: createdKey } }),
  /** `overlap_hours`: how long the old key continues to work. */
  keysRotate: playerOperation('POST', '/keys/{id}/rotate', {
    body: {
      schema: strictObject({
        overlap_hours: Type.Integer({ minimum: 0, maximum: limits.keyOverlapHoursMax }),
      }),
    },
    responses: { 201: createdKey },
  }),
  keysRevoke: playerOperation('POST', '/keys/{id}/revoke', { responses: { 200: key } }),
  keysRevokePrivate: playerOperation('POST', '/keys/revoke-private', {
    responses: { 200: strictObject({ revoked: count() }) },
  }),
  /** Requests a higher limit from the operator. */
  keysRequestLimit: playerOperation('POST', '/keys/{id}/limit-request', {
    body: { schema: limitRequest },
    responses: { 200: key },
  }),
  keysUsage: playerOperation('GET', '/keys/{id}/usage', { responses: { 200: usage } }),
  callsList: playerOperation('GET', '/calls', {
    query: strictObject({
      key_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      request_id: Type.Optional(
        patternString('^[A-Za-z0-9_-]{8,64}$', 'must be a request id of 8 to 64 letters, digits, - and _'),
      ),
    }),
    responses: { 200: dataOf(loggedCall) },
  }),
}
