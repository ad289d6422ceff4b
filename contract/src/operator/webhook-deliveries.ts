import Type, { type Static } from 'typebox'
import {
  count,
  enumOf,
  listOf,
  nullable,
  position,
  strictObject,
  text,
  time,
  timeOfAnyZone,
} from '../shared-schemas.ts'
import { deliveryStates, webhooks } from '../webhooks.ts'
import { jsonResponse, listResponse, named, operatorOperation } from './operation.ts'

/** The endpoint that examples are about. */
export const exampleEndpointId = 'whe_5bqk2yVh0TzD'

/** The result of an attempt, in the delivery log and in a test. */
const httpStatus = () =>
  nullable(Type.Integer({ description: 'Status of the response; null without a response.' }))
const failure = () => nullable(Type.String({ description: 'Why there was no response; null with one.' }))
const responseBody = () =>
  nullable(
    Type.String({
      description:
        'The first kilobyte of the response body, which is untrusted text; null without a response.',
    }),
  )
const latency = () => Type.Number({ minimum: 0, description: 'Duration in milliseconds.' })

const pathParameter = { name: 'id', description: 'The endpoint’s id.', example: exampleEndpointId }
export const ofWebhooks = { tag: 'Webhooks', roles: [] } as const
/** An operation on one endpoint. */
export const ofOneWebhook = { ...ofWebhooks, pathParameter, errors: ['not_found'] } as const

export const testSchema = named(
  'WebhookTest',
  strictObject(
    {
      has_arrived: Type.Boolean({
        description: 'Whether the receiver acknowledged it with a status from 200 to 299.',
      }),
      status: httpStatus(),
      error: failure(),
      answer: responseBody(),
      latency_ms: latency(),
    },
    { description: 'The result of a test.' },
  ),
)
export type WebhookTestResult = Static<typeof testSchema>

const attemptSchema = strictObject(
  {
    number: position({ description: 'Counted from 1 over all attempts of the delivery.' }),
    attempted_at: time({ description: 'Time of the attempt.' }),
    latency_ms: latency(),
    status: httpStatus(),
    error: failure(),
    answer: responseBody(),
    next_at: nullable(time({ description: 'When the next attempt is due; null if this was the last.' })),
  },
  { description: 'An attempt to deliver.' },
)

export type WebhookAttempt = Static<typeof attemptSchema>

export const deliverySchema = named(
  'WebhookDelivery',
  strictObject(
    {
      id: text(64, { description: 'The delivery’s id.' }),
      event_id: nullable(text(64, { description: 'The event; null for a test.' })),
      type: text(64, {
        description: `The type of the event; ${webhooks.expiredType} if it is no longer kept.`,
      }),
      state: enumOf(deliveryStates, { description: 'State of the delivery.' }),
      created_at: time({ description: 'When it was queued.' }),
      settled_at: nullable(time({ description: 'When it was delivered or failed; null before.' })),
      next_at: nullable(time({ description: 'When the next attempt is due, while it is pending.' })),
      attempts: listOf(attemptSchema, { description: 'The latest attempts, newest first.' }),
    },
    { description: 'The delivery of one event to one endpoint.' },
  ),
)
export type WebhookDelivery = Static<typeof deliverySchema>

export const webhooksDeliveries = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.deliveries',
  method: 'GET',
  path: '/webhooks/{id}/deliveries',
  summary: 'List the deliveries of an endpoint',
  description: `Deliveries of events and tests, newest first. They are kept for ${webhooks.logDays} days.`,
  query: strictObject({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'Number of deliveries. Default 25.',
        example: 100,
      }),
    ),
    state: Type.Optional(enumOf(deliveryStates, { description: 'Only deliveries in this state.' })),
  }),
  responses: {
    200: listResponse('The deliveries.', deliverySchema, {
      id: 'dlv_10482',
      event_id: 'evt_10482',
      type: 'war.declared',
      state: 'delivered',
      created_at: '2026-05-27T18:00:00.113Z',
      settled_at: '2026-05-27T18:00:00.402Z',
      next_at: null,
      attempts: [
        {
          number: 1,
          attempted_at: '2026-05-27T18:00:00.371Z',
          latency_ms: 31,
          status: 204,
          error: null,
          answer: '',
          next_at: null,
        },
      ],
    }),
  },
})

const instant = (description: string) => timeOfAnyZone({ description })

export const webhooksReplay = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.replay',
  method: 'POST',
  path: '/webhooks/{id}/replay',
  summary: 'Replay deliveries',
  description: `Queues deliveries again: one, all failed ones, or one per event that was logged in a time range of at most ${webhooks.replayEventsMax} events.`,
  body: {
    schema: Type.Union([
      strictObject({ delivery: Type.String({ description: 'Id of one delivery.' }) }),
      strictObject({ failed: Type.Literal(true, { description: 'All failed deliveries.' }) }),
      strictObject({
        since: instant('Start of the time range.'),
        until: instant('End of the time range, exclusive.'),
      }),
    ]),
    examples: {
      One: { delivery: 'dlv_10482' },
      Failed: { failed: true },
      'Time range': { since: '2026-05-27T16:00:00Z', until: '2026-05-27T18:00:00Z' },
    },
  },
  responses: {
    200: jsonResponse(
      'The deliveries are queued.',
      strictObject({ queued: count({ description: 'Number of queued deliveries.' }) }),
      {
        queued: 12,
      },
    ),
  },
})
