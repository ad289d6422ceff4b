import Type, { type Static } from 'typebox'
import { limits } from '../limits.ts'
import { deliverySchema, testSchema } from '../operator/webhook-deliveries.ts'
import { endpointMembers } from '../operator/webhooks.ts'
import { count, enumOf, id, listOf, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { deliveryStates, webhooks } from '../webhooks.ts'
import { dataOf, playerOperation } from './operation.ts'

const { player_id: _, ...members } = endpointMembers
const endpoint = strictObject(members)
export type AccountEndpoint = Static<typeof endpoint>

const secret = Type.String()
/** The secret is returned only once. Nothing is sent before the player requests a test. */
const addedEndpoint = strictObject({ ...members, secret })
export type NewAccountEndpoint = Static<typeof addedEndpoint>

const testedEndpoint = strictObject({ ...members, test: nullable(testSchema) })
export type TestedAccountEndpoint = Static<typeof testedEndpoint>

const idsOrAll = () =>
  Type.Union([Type.Array(id(), { minItems: 1, maxItems: limits.idsMax, uniqueItems: true }), Type.Null()])

/** The members that an owner may set; null for all. */
const draft = strictObject({
  url: Type.String({ minLength: 1, maxLength: webhooks.urlLengthMax }),
  description: text(webhooks.descriptionLengthMax),
  types: Type.Union([
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: limits.idsMax,
      uniqueItems: true,
    }),
    Type.Null(),
  ]),
  nation_ids: idsOrAll(),
  alliance_ids: idsOrAll(),
})
export type EndpointDraft = Static<typeof draft>

/** What the attempts of a delivery sent, newest first: an attempt without its signature in the log is left out. */
const requests = strictObject({
  /** The same on every attempt; null where it cannot be built again. */
  body: nullable(Type.String()),
  attempts: listOf(
    strictObject({
      number: count(),
      headers: listOf(strictObject({ name: Type.String(), value: Type.String() })),
    }),
  ),
})
export type WebhookRequests = Static<typeof requests>

/** One delivery, all failed ones, or the events logged in a time range (`until` exclusive). */
const replay = Type.Union([
  strictObject({ delivery: text(64) }),
  strictObject({ failed: Type.Literal(true) }),
  strictObject({ since: time(), until: time() }),
])
export type ReplayRequest = Static<typeof replay>

export const webhookOperations = {
  webhooksList: playerOperation('GET', '/webhooks', { responses: { 200: dataOf(endpoint) } }),
  webhooksAdd: playerOperation('POST', '/webhooks', {
    body: { schema: draft },
    responses: { 201: addedEndpoint },
  }),
  webhooksChange: playerOperation('PUT', '/webhooks/{id}', {
    body: { schema: draft },
    responses: { 200: testedEndpoint },
  }),
  webhooksTest: playerOperation('POST', '/webhooks/{id}/test', { responses: { 200: testedEndpoint } }),
  webhooksEnable: playerOperation('POST', '/webhooks/{id}/enable', { responses: { 200: testedEndpoint } }),
  webhooksDisable: playerOperation('POST', '/webhooks/{id}/disable', { responses: { 200: endpoint } }),
  webhooksRotate: playerOperation('POST', '/webhooks/{id}/rotate', {
    responses: { 200: strictObject({ ...members, secret }) },
  }),
  webhooksReplay: playerOperation('POST', '/webhooks/{id}/replay', {
    body: { schema: replay },
    responses: { 200: strictObject({ queued: count() }) },
  }),
  webhooksDeliveries: playerOperation('GET', '/webhooks/{id}/deliveries', {
    query: strictObject({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      state: Type.Optional(enumOf(deliveryStates)),
    }),
    responses: { 200: dataOf(deliverySchema) },
  }),
  webhooksRequests: playerOperation('GET', '/webhooks/{id}/requests', {
    query: strictObject({ delivery: text(64) }),
    responses: { 200: requests },
  }),
  webhooksRemove: playerOperation('DELETE', '/webhooks/{id}', {
    responses: { 200: strictObject({ id: Type.String(), removed: Type.Literal(true) }) },
  }),
}
