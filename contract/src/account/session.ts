import Type, { type Static } from 'typebox'
import { enumOf, id, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { dataOf, openOperation, playerOperation } from './operation.ts'

/** Where a handover link may lead. */
export const landings = ['verify', 'keys', 'webhooks'] as const
export type Landing = (typeof landings)[number]

/** A nation with its alliance. */
export const nationSummary = strictObject({
  nation_id: id(),
  nation_name: Type.String(),
  leader_name: Type.String(),
  flag_url: nullable(Type.String()),
  alliance: nullable(strictObject({ alliance_id: id(), name: Type.String(), tag: Type.String() })),
})
export type NationSummary = Static<typeof nationSummary>

/** The player whom a handover link signs in; `nation` is null for a player without one. */
const handoverPreview = strictObject({
  player_id: id(),
  nation: nullable(nationSummary),
  landing: enumOf(landings),
  expires_at: time(),
})
export type HandoverPreview = Static<typeof handoverPreview>

const session = strictObject({
  player_id: id(),
  nation: nullable(nationSummary),
  landing: enumOf(landings),
  /** Required as `x-csrf-token` with every change. */
  csrf_token: Type.String(),
  expires_at: time(),
})
export type AccountSession = Static<typeof session>

/** The session of this browser; null where no player is signed in, which is not an error. */
const currentSession = strictObject({ session: nullable(session) })

/** The names of the keys that a demo prints begin with this. */
export const demoKeyPrefix = 'demo: '

/** `kind` of a player whose key the demo prints, such as "alliance officer"; `nation` is null for a player without one. */
const demoPlayer = strictObject({
  player_id: id(),
  nation: nullable(nationSummary),
  kind: nullable(Type.String()),
})
export type DemoPlayer = Static<typeof demoPlayer>

const handoverToken = { schema: strictObject({ token: text(200) }) }

const ended = strictObject({ ended: Type.Integer() })

export const sessionOperations = {
  /** Shows whom a link signs in, without using it up. */
  handoverPreviewed: openOperation('POST', '/handover', {
    body: handoverToken,
    responses: { 200: handoverPreview },
  }),
  sessionStart: openOperation('POST', '/session', { body: handoverToken, responses: { 200: session } }),
  sessionCurrent: openOperation('GET', '/session/current', { responses: { 200: currentSession } }),
  /** As `sessionCurrent`, with an error where no player is signed in. */
  sessionGet: playerOperation('GET', '/session', { responses: { 200: session } }),
  sessionEnd: playerOperation('DELETE', '/session', { responses: { 200: ended } }),
  sessionEndAll: playerOperation('POST', '/session/end-all', { responses: { 200: ended } }),
  demoPlayersList: openOperation('GET', '/demo/players', {
    query: strictObject({ search: Type.Optional(Type.String({ maxLength: 100 })) }),
    responses: { 200: dataOf(demoPlayer) },
  }),
  demoSessionStart: openOperation('POST', '/demo/session', {
    body: { schema: strictObject({ player_id: id() }) },
    responses: { 200: session },
  }),
}
