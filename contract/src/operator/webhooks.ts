import Type, { type TSchema } from 'typebox'
import { count, enumOf, id, listOf, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { disabledReasons, endpointStatuses, webhooks } from '../webhooks.ts'
import { jsonResponse, listResponse, named, operatorOperation } from './operation.ts'
import { ofPlayer, playerMembers } from './player-selector.ts'
import {
  answer,
  exampleEndpointId,
  failure,
  httpStatus,
  latency,
  ofOneWebhook,
  ofWebhooks,
} from './webhook-parts.ts'

const words = (description: string) =>
  nullable(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { description }))
const members = {
  id: text(64, { description: 'The endpoint’s id.' }),
  player_id: id({ description: 'Whose it is.' }),
  url: Type.String({ description: 'Where it is.' }),
  description: text(webhooks.descriptionLengthMax, { description: 'What its owner says of it.' }),
  types: words('Kinds (`war.declared`) and families (`war.*`) of events that it hears; null for all.'),
  nation_ids: words('Only events about these nations; null for all.'),
  alliance_ids: words('Only events about these alliances; null for all.'),
  status: enumOf(endpointStatuses, {
    description: 'Waiting for its first test to be answered, active, or switched off.',
  }),
  disabled_reason: nullable(
    enumOf(Object.keys(disabledReasons), { description: 'Why it is switched off; null while it is not.' }),
  ),
  disabled_at: nullable(time({ description: 'Since when it is switched off.' })),
  created_at: time({ description: 'When it was added.' }),
  last_delivered_at: nullable(time({ description: 'When an event last arrived; null for never.' })),
  last_failed_at: nullable(time({ description: 'When an attempt last failed; null for never.' })),
  failing_since: nullable(
    time({ description: 'Since when every attempt has failed; null while they succeed.' }),
  ),
  switches_off_at: nullable(
    time({
      description: 'When it will be switched off if every attempt fails until then; null while they succeed.',
    }),
  ),
  warnings: listOf(
    strictObject({
      percent: count({ description: 'How much of that time was over.' }),
      warned_at: time({ description: 'When its owner was warned.' }),
    }),
    { description: 'What its owner was told of failing.' },
  ),
  previous_secret_ends_at: nullable(
    time({ description: 'Until when the secret before this one signs too; null for none.' }),
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
  failing_since: null,
  switches_off_at: null,
  warnings: [],
  previous_secret_ends_at: null,
}
const about = { description: 'A webhook endpoint, without its secret.' }
const endpoint = named('WebhookEndpoint', strictObject(members, about))

const test = named(
  'WebhookTest',
  strictObject(
    {
      has_arrived: Type.Boolean({ description: 'Whether the receiver took it.' }),
      status: httpStatus(),
      error: failure(),
      answer: answer(),
      latency_ms: latency(),
    },
    { description: 'How the receiver met a test.' },
  ),
)
const testExample = { has_arrived: true, status: 204, error: null, answer: '', latency_ms: 31 }

const secret = Type.String({ description: 'What messages are signed with. It is shown this once.' })
const secretExample = 'whsec_…'

/** An endpoint with more members. */
const endpointWith = <M extends Record<string, TSchema>>(more: M) =>
  strictObject({ ...members, ...more }, about)

export const webhooksAdd = operatorOperation({
  ...ofWebhooks,
  id: 'webhooks.add',
  method: 'POST',
  path: '/webhooks',
  summary: 'Add a webhook endpoint',
  description: `Adds an endpoint for a player, who is named by exactly one of \`nation_id\` and \`player_id\`, and sends it a test. It hears from then on if it answered, and waits for its first answer otherwise. A player has ${webhooks.endpointsPerPlayerMax} at most.`,
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
      types: Type.Optional(words('Kinds and families of events to hear. Default: all (null).')),
      nation_ids: Type.Optional(words('Only events about these nations. Default: all (null).')),
      alliance_ids: Type.Optional(words('Only events about these alliances. Default: all (null).')),
    }),
    examples: {
      Endpoint: { nation_id: 'n42', url: example.url, types: ['war.*'], nation_ids: ['n42'] },
    },
  },
  responses: {
    201: jsonResponse(
      'The endpoint, with its secret, which is shown this once, and how it met the test.',
      endpointWith({ secret, test }),
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
  description: 'Endpoints of one player, or of all, the oldest first.',
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

const tested = jsonResponse(
  'The endpoint, and how it met the test; null where none was sent, because it is active already.',
  endpointWith({ test: nullable(test) }),
  { ...example, test: testExample },
)

export const webhooksTest = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.test',
  method: 'POST',
  path: '/webhooks/{id}/test',
  summary: 'Send a test',
  description: 'Sends a test at once, and lets an endpoint hear that waited for its first answer.',
  responses: { 200: tested },
})

export const webhooksEnable = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.enable',
  method: 'POST',
  path: '/webhooks/{id}/enable',
  summary: 'Switch an endpoint on',
  description:
    'Sends a test, and lets the endpoint hear from now on if it answers. What was logged while it was off is not sent by itself: a replay brings it.',
  responses: { 200: tested },
})

export const webhooksDisable = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.disable',
  method: 'POST',
  path: '/webhooks/{id}/disable',
  summary: 'Switch an endpoint off',
  description: 'From then on nothing is sent to it. Switching it off again changes nothing.',
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
  summary: 'Give an endpoint a new secret',
  description: `Messages are signed with the new secret from now on, and for ${webhooks.secretOverlapHours} hours with the one before it too. Where that one has not ended yet, each goes on to its own end; with ${webhooks.previousSecretsMax} of them, the call is refused.`,
  responses: {
    200: jsonResponse(
      'The endpoint, with its new secret, which is shown this once.',
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
  description: 'Removes an endpoint and what waits for it.',
  responses: {
    200: jsonResponse(
      'It is gone.',
      strictObject({
        id: text(64, { description: 'The endpoint.' }),
        removed: Type.Literal(true, { description: 'Always true.' }),
      }),
      { id: example.id, removed: true },
    ),
  },
})
