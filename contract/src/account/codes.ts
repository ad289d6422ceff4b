import Type, { type Static } from 'typebox'
import { count, listOf, nullable, strictObject, time } from '../shared-schemas.ts'
import { playerOperation } from './operation.ts'

const activeCodeMembers = {
  id: Type.String(),
  created_at: time(),
  expires_at: time(),
  /** The only chat account that may redeem it. */
  bound_to: nullable(Type.String()),
}
const activeCode = strictObject(activeCodeMembers)
export type ActiveCode = Static<typeof activeCode>

const redeemedCode = strictObject({
  id: Type.String(),
  created_at: time(),
  redeemed_at: time(),
  bound_to: nullable(Type.String()),
  /** Whether it was redeemed with an API key. */
  with_key: Type.Boolean(),
})
export type RedeemedCode = Static<typeof redeemedCode>

const codes = strictObject({
  live: listOf(activeCode),
  /** Of the last 30 days, newest first. */
  redeemed: listOf(redeemedCode),
  live_max: count(),
})
export type AccountCodes = Static<typeof codes>

/** The code is returned only once. */
const issuedCode = strictObject({ ...activeCodeMembers, code: Type.String() })
export type IssuedAccountCode = Static<typeof issuedCode>

/** `for`: the only chat account that may redeem it. */
const newCode = strictObject({ for: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) })
export type NewCode = Static<typeof newCode>

export const codeOperations = {
  codesList: playerOperation('GET', '/codes', { responses: { 200: codes } }),
  codesIssue: playerOperation('POST', '/codes', {
    body: { schema: newCode },
    responses: { 201: issuedCode },
  }),
  codesCancel: playerOperation('DELETE', '/codes/{id}', {
    responses: { 200: strictObject({ id: Type.String(), removed: Type.Literal(true) }) },
  }),
}
