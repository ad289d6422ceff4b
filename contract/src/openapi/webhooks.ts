import type { Contract } from '../contract.ts'
import type { JsonSchema } from '../json-schema.ts'
import { exampleEndpointId } from '../operator/webhook-deliveries.ts'
import { webhooks } from '../webhooks.ts'
import { type OpenApiDocument, type OpenApiHeader, type OpenApiOperation, refTo } from './document.ts'

const signed = `The signature is HMAC-SHA256 over \`${webhooks.idHeader}\`, a dot, \`${webhooks.timestampHeader}\`, a dot and the raw body, as in the specification Standard Webhooks. The key is the part of the secret after \`${webhooks.secretPrefix}\`, decoded from base64. [Requirements for a receiver](/docs/guides/follow-the-war-feed#requirements-for-a-receiver) lists what else to check.`

/** Of the examples. */
const timestampExample = 1779271200
const secretExample = 'whsec_Q2hhbmNlcnkgc2lnbnMgZXZlcnkgbWVzc2FnZSEhISE='

const header = (name: string, description: string, schema: JsonSchema) => ({
  name,
  in: 'header' as const,
  description,
  required: true,
  schema,
})

/** `id` and `signature`: of the example body. */
const parametersFor = (id: string, signature: string) => [
  header(webhooks.idHeader, 'Id of the event, the same on every attempt: process each id once.', {
    type: 'string',
    maxLength: 64,
    examples: [id],
  }),
  header(
    webhooks.timestampHeader,
    'Time of this attempt in Unix seconds. Reject it if it is more than 5 minutes off.',
    {
      type: 'integer',
      minimum: 0,
      examples: [timestampExample],
    },
  ),
  header(
    webhooks.signatureHeader,
    `One signature, or several separated by spaces while a secret is rotated: one match is enough. Each is a version, a comma and base64; skip versions other than \`v1\`. The example is that of the example body, as JSON without spaces and line breaks, with the secret \`${secretExample}\`.`,
    { type: 'string', examples: [signature] },
  ),
  header('user-agent', 'Name and version of the service.', { type: 'string', examples: ['Chancery/0.2.0'] }),
]

const retryAfter: OpenApiHeader = {
  description: 'When to retry: whole seconds, or an HTTP date.',
  schema: { type: 'string', examples: ['120'] },
}

/** What the service does after a response. */
const responses: OpenApiOperation['responses'] = {
  '2XX': { description: 'Delivered. The event is not sent again. The body is ignored.' },
  410: { description: 'The endpoint is disabled. No further events are sent to it.' },
  429: { description: 'Retried, not before `retry-after`.', headers: { 'retry-after': retryAfter } },
  503: { description: 'Retried, not before `retry-after`.', headers: { 'retry-after': retryAfter } },
  default: {
    description: `Any other status, and no complete response within ${webhooks.timeoutSeconds} seconds, is a failure: retried up to ${webhooks.retryDelaysSeconds.length} times with growing delays. Redirects are not followed.`,
  },
}

const messageOf = (type: JsonSchema, data: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: {
    type,
    timestamp: { type: 'string', format: 'date-time', description: 'When it happened in the game.' },
    data,
  },
  required: ['type', 'timestamp', 'data'],
})

/** The bodies of deliveries. */
export const webhookSchemas = (): Record<string, JsonSchema> => ({
  WebhookMessage: {
    description: 'An event, sent to a webhook endpoint.',
    ...messageOf(
      { type: 'string', maxLength: 64, description: 'Type of the event; the same as `data.type`.' },
      refTo('schemas', 'Event'),
    ),
  },
  WebhookTestMessage: {
    description: 'A test of a webhook endpoint. It is not in the event log.',
    ...messageOf(
      { type: 'string', const: webhooks.testType, description: 'Type of a test.' },
      {
        description: 'An event with `seq` 0.',
        allOf: [refTo('schemas', 'EventCommon')],
        type: 'object',
        properties: {
          type: { type: 'string', const: webhooks.testType, description: 'Type of a test.' },
          data: {
            type: 'object',
            properties: { endpoint_id: { type: 'string', description: 'The endpoint.' } },
            required: ['endpoint_id'],
          },
        },
        required: ['type', 'data'],
      },
    ),
  },
})

/** The requests that the service sends to webhook endpoints. `declaration`: an example of `war.declared`. */
export function openApiWebhooks(
  declaration: object,
  { profile }: Contract,
): OpenApiDocument<'post'>['paths'] {
  const { id: eventId, type, occurred_at: timestamp, data } = Object(declaration)
  // Without a key of the profile, so that the example signatures are those of every game.
  const event = { ...declaration, data: { ...data, war: { ...data.war, type: null } } }
  const test = {
    ...event,
    id: 'evt_test_5a1e0c9d7b3f248610',
    seq: 0,
    type: webhooks.testType,
    summary: 'A test of a webhook endpoint.',
    nation_ids: [],
    alliance_ids: [],
    war_id: null,
    conflict_id: null,
    data: { endpoint_id: exampleEndpointId },
  }
  const operation = (
    id: string,
    summary: string,
    description: string,
    schema: string,
    parameters: ReturnType<typeof parametersFor>,
    value: object,
  ) => ({
    post: {
      operationId: `webhooks.${id}`,
      tags: ['Webhooks'],
      summary,
      description: `${description}\n\n${signed}`,
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: refTo('schemas', schema), examples: { [schema]: { value } } },
        },
      },
      responses,
    },
  })
  return {
    event: operation(
      'event',
      'Receive an event',
      `One request for each event that the endpoint of a player of ${profile.name} subscribes to, sent at least once and not always in order: sort by \`data.seq\`. Accept unknown types, and ignore them.`,
      'WebhookMessage',
      parametersFor(eventId, 'v1,oPLFFaVI4uUF92Ah1XjyGzFm6dB8OrAAaS0bzLhLMPY='),
      { type, timestamp, data: event },
    ),
    test: operation(
      'test',
      'Receive a test',
      'Sent when the endpoint is created and on request of its owner. The endpoint becomes active with the first test that it accepts.',
      'WebhookTestMessage',
      parametersFor(test.id, 'v1,q85xewaxD0joPW8bfGTo950mPrlz9QzFsCmPttCYDm0='),
      { type: webhooks.testType, timestamp, data: test },
    ),
  }
}
