import Type, { type Static, type TSchema } from 'typebox'
import { count, enumOf, id, listOf, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { type DisabledReason, disabledReasons, endpointStatuses, webhooks } from '../webhooks.ts'
import { jsonResponse, listResponse, named, operatorOperation } from './operation.ts'
import { ofPlayer, playerMembers } from './player-selector.ts'
import { exampleEndpointId, ofOneWebhook, ofWebhooks, testSchema } from './webhook-deliveries.ts'

const filterList = (description: string) =>
  nullable(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { description }))
export const endpointMembers = {
  id: text(64, { description: 'The endpoint’s id.' }),
  player_id: id({ description: 'The player who owns it.' }),
  url: Type.String({ description: 'The URL that messages are posted to.' }),
  description: text(webhooks.descriptionLengthMax, { description: 'The owner’s description.' }),
  types: filterList(
    'Event types (`war.declared`) and families of types (`war.*`) that it receives; null for all.',
  ),
  nation_ids: filterList('Only events about these nations; null for all.'),
  alliance_ids: filterList('Only events about these alliances; null for all.'),
  status: enumOf(endpointStatuses, {
    description: '`unconfirmed` until a test succeeds, `active`, or `disabled`.',
  }),
  disabled_reason: nullable(
    enumOf(Object.keys(disabledReasons) as DisabledReason[], {
      description: 'Why it is disabled; null while it is not.',
    }),
  ),
  disabled_at: nullable(time({ description: 'When it was disabled.' })),
  created_at: time({ description: 'When it was added.' }),
  last_delivered_at: nullable(time({ description: 'When an event was last delivered; null for never.' })),
  last_failed_at: nullable(time({ description: 'When an attempt last failed; null for never.' })),
  last_failed_status: nullable(
    Type.Integer({ description: 'Status of the response at `last_failed_at`; null without a response.' }),
  ),
  last_failed_error: nullable(
    Type.String({ description: 'Why there was no response at `last_failed_at`; null with one.' }),
  ),
  next_attempt_at: nullable(
    time({
      description:
        'When the next attempt is due, while every attempt fails; null without a pending delivery.',
    }),
  ),
  failing_since: nullable(
    time({ description: 'Since when every attempt has failed; null while attempts succeed.' }),
  ),
  switches_off_at: nullable(
    time({
      description: 'When it will be disabled if every attempt fails until then; null while attempts succeed.',
    }),
  ),
  warnings: listOf(
    strictObject({
      percent: count({ description: 'Share of that time that had passed.' }),
      warned_at: time({ description: 'When the owner was warned.' }),
    }),
    { description: 'Warnings to the owner about failing deliveries.' },
  ),
  previous_secret_ends_at: nullable(
    time({ description: 'Until when the previous secret signs too; null for none.' }),
  ),
}
const example = {
  id: exampleEndpointId,
  player_id: 'p42',
  url: 'https://bot.example.com/events',
  description: '',
  types: ['war.*'],
  nation_ids: ['n42'],
  alliance_ids: null,
  status: 'active',
  disabled_reason: null,
  disabled_at: null,
  created_at: '2026-05-01T12:00:00Z',
  last_delivered_at: '2026-05-27T17:58:20.031Z',
  last_failed_at: null,
  last_failed_status: null,
  last_failed_error: null,
  next_attempt_at: null,
  failing_since: null,
  switches_off_at: null,
  warnings: [],
  previous_secret_ends_at: null,
}
const about = { description: 'A webhook endpoint, without its secret.' }
const endpoint = named('WebhookEndpoint', strictObject(endpointMembers, about))
/** An endpoint as its owner and operators see it. */
export type WebhookEndpoint = Omit<Static<typeof endpoint>, 'player_id' | 'switches_off_at'>

const testExample = { has_arrived: true, status: 204, error: null, answer: '', latency_ms: 31 }

const secret = Type.String({ description: 'The secret that signs messages. It is returned only once.' })
const secretExample = 'whsec_…'

const endpointWith = <M extends Record<string, TSchema>>(more: M) =>
  strictObject({ ...endpointMembers, ...more }, about)

export const webhooksAdd = operatorOperation({
  ...ofWebhooks,
  id: 'webhooks.add',
  method: 'POST',
  path: '/webhooks',
  summary: 'Add a webhook endpoint',
  description: `Adds an endpoint for a player, who is named by exactly one of \`nation_id\` and \`player_id\`, and sends it a test. It is active if the test succeeds and unconfirmed otherwise. A player has at most ${webhooks.endpointsPerPlayerMax} endpoints.`,
  body: {
    schema: strictObject({
      ...playerMembers,
      url: Type.String({
        minLength: 1,
        description: `An https URL on a public address, of at most ${webhooks.urlLengthMax} characters.`,
      }),
      description: Type.Optional(
        Type.String({ description: `At most ${webhooks.descriptionLengthMax} characters. Default: none.` }),
      ),
      types: Type.Optional(filterList('Event types and families of types to receive. Default: all (null).')),
      nation_ids: Type.Optional(filterList('Only events about these nations. Default: all (null).')),
      alliance_ids: Type.Optional(filterList('Only events about these alliances. Default: all (null).')),
    }),
    examples: {
      Endpoint: { nation_id: 'n42', url: example.url, types: ['war.*'], nation_ids: ['n42'] },
    },
  },
  responses: {
    201: jsonResponse(
      'The endpoint, its secret, which is returned only once, and the result of the test.',
      endpointWith({ secret, test: testSchema }),
      { ...example, secret: secretExample, test: testExample },
    ),
  },
  errors: ['not_found'],
})

export const webhooksList = operatorOperation({
  ...ofWebhooks,
  id: 'webhooks.list',
  method: 'GET',
  path: '/webhooks',
  summary: 'List webhook endpoints',
  description: 'Endpoints of one player or of all, oldest first.',
  query: ofPlayer,
  responses: { 200: listResponse('The endpoints.', endpoint, example) },
  errors: ['not_found'],
})

export const webhooksGet = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.get',
  method: 'GET',
  path: '/webhooks/{id}',
  summary: 'Read a webhook endpoint',
  description: 'One endpoint.',
  responses: { 200: jsonResponse('The endpoint.', endpoint, example) },
})

const testedResponse = jsonResponse(
  'The endpoint and the result of the test; null if it was active already and no test was sent.',
  endpointWith({ test: nullable(testSchema) }),
  { ...example, test: testExample },
)

export const webhooksTest = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.test',
  method: 'POST',
  path: '/webhooks/{id}/test',
  summary: 'Send a test',
  description: 'Sends a test at once. A success activates an unconfirmed endpoint.',
  responses: { 200: testedResponse },
})

export const webhooksEnable = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.enable',
  method: 'POST',
  path: '/webhooks/{id}/enable',
  summary: 'Enable an endpoint',
  description:
    'Sends a test and activates the endpoint if it succeeds. Events that were logged while it was disabled are sent only by a replay.',
  responses: { 200: testedResponse },
})

export const webhooksDisable = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.disable',
  method: 'POST',
  path: '/webhooks/{id}/disable',
  summary: 'Disable an endpoint',
  description: 'Nothing is sent to it any more. Disabling it again changes nothing.',
  responses: {
    200: jsonResponse('The endpoint.', endpoint, {
      ...example,
      status: 'disabled',
      disabled_reason: 'owner',
      disabled_at: '2026-05-27T18:00:00Z',
    }),
  },
})

export const webhooksRotate = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.rotate',
  method: 'POST',
  path: '/webhooks/{id}/rotate',
  summary: 'Rotate the secret of an endpoint',
  description: `Messages are signed with the new secret and, for ${webhooks.secretOverlapHours} hours, with the previous one too. Earlier secrets sign until their own end; while ${webhooks.previousSecretsMax} of them still sign, the request is rejected.`,
  responses: {
    200: jsonResponse(
      'The endpoint with its new secret, which is returned only once.',
      endpointWith({ secret }),
      { ...example, secret: secretExample, previous_secret_ends_at: '2026-05-28T18:00:00Z' },
    ),
  },
})

export const webhooksRemove = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.remove',
  method: 'DELETE',
  path: '/webhooks/{id}',
  summary: 'Remove an endpoint',
  description: 'Removes an endpoint with its deliveries.',
  responses: {
    200: jsonResponse(
      'The endpoint is removed.',
      strictObject({
        id: text(64, { description: 'The endpoint.' }),
        removed: Type.Literal(true, { description: 'Always true.' }),
      }),
      { id: example.id, removed: true },
    ),
  },
})
