import Type, { type Static } from 'typebox'
import { classes } from '../classification.ts'
import { scopeNames } from '../scopes.ts'
import { enumOf, id, listOf, nullable, strictObject, time } from '../shared-schemas.ts'
import { type AccountAction, accountActions } from './actions.ts'
import { dataOf, openOperation, playerOperation } from './operation.ts'

const pageInfo = strictObject({
  game: strictObject({ name: Type.String(), url: nullable(Type.String()) }),
  /** The accent colour, as #rrggbb. */
  color: Type.String(),
  /** A path on this origin. */
  logo_url: nullable(Type.String()),
  /** Whether visitors may sign in as demo players. */
  is_demo: Type.Boolean(),
  /** The canonical base URL of the public API. */
  api_url: Type.String(),
  docs_url: Type.String(),
  scopes: listOf(
    strictObject({
      name: enumOf(scopeNames),
      description: Type.String(),
      is_private: Type.Boolean(),
      /** The game's own fields that it discloses, by key. */
      attributes: listOf(Type.String()),
    }),
  ),
  default_scopes: listOf(enumOf(scopeNames)),
  /** All event types, each with a sample webhook message. */
  event_kinds: listOf(
    strictObject({ type: Type.String(), description: Type.String(), sample: Type.Object({}) }),
  ),
  /** Whether the game has traded resources. */
  has_market: Type.Boolean(),
  /** Whether webhooks may use http URLs and addresses that are not public. */
  webhooks_allow_local: Type.Boolean(),
})
export type PageInfo = Static<typeof pageInfo>

const resource = enumOf(['nation', 'alliance'])

/** An item as several viewers see it. Members that a viewer may not read are absent from that view. */
const exploration = strictObject({
  resource,
  id: id(),
  fields: listOf(
    strictObject({
      name: Type.String(),
      class: enumOf(classes),
      scope: nullable(enumOf(scopeNames)),
      description: Type.String(),
    }),
  ),
  /** The members with a time, such as `treaties.signed_at`. */
  times: listOf(Type.String()),
  views: strictObject({ anonymous: Type.Object({}), stranger: Type.Object({}), self: Type.Object({}) }),
})
export type Exploration = Static<typeof exploration>

/**
 * A line of the account log. `subject` is the id of the changed item, `detail` is free text and never a secret. `browser` (its family) and
 * `network` (the address as /24 of IPv4 or /48 of IPv6) are null in lines of the operator and in those from before they were stored.
 */
const logEntry = strictObject({
  at: time(),
  action: enumOf(Object.keys(accountActions) as AccountAction[]),
  subject: nullable(Type.String()),
  detail: nullable(Type.String()),
  by: enumOf(['player', 'operator']),
  browser: nullable(Type.String()),
  network: nullable(Type.String()),
})
export type AccountLogEntry = Static<typeof logEntry>

export const pageOperations = {
  pageGet: openOperation('GET', '/page', { responses: { 200: pageInfo } }),
  exploreGet: playerOperation('GET', '/explore', {
    query: strictObject({ kind: resource, id: Type.String({ minLength: 1, maxLength: 64 }) }),
    responses: { 200: exploration },
  }),
  logList: playerOperation('GET', '/log', { responses: { 200: dataOf(logEntry) } }),
}
