import Type from 'typebox'
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
import { answer, failure, httpStatus, latency, ofOneWebhook } from './webhook-parts.ts'

const attempt = strictObject(
  {
    number: position({ description: 'Counted over the whole life of the delivery.' }),
    attempted_at: time({ description: 'When it was made.' }),
    latency_ms: latency(),
    status: httpStatus(),
    error: failure(),
    answer: answer(),
    next_at: nullable(time({ description: 'When the next one is due; null where this was the last.' })),
  },
  { description: 'One try to deliver.' },
)

export const webhooksDeliveries = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.deliveries',
  method: 'GET',
  path: '/webhooks/{id}/deliveries',
  summary: 'Read the delivery log of an endpoint',
  description: `What became of events and tests, the latest first. The log goes back ${webhooks.logDays} days.`,
  query: strictObject({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'How many to list. Default 25.' }),
    ),
    state: Type.Optional(enumOf(deliveryStates, { description: 'Only deliveries of this state.' })),
  }),
  responses: {
    200: listResponse(
      'The deliveries.',
      named(
        'WebhookDelivery',
        strictObject(
          {
            id: text(64, { description: 'The delivery’s id.' }),
            event_id: nullable(text(64, { description: 'The event; null for a test.' })),
            type: text(64, { description: 'The kind of the event.' }),
            state: enumOf(deliveryStates, { description: 'How far it is.' }),
            created_at: time({ description: 'When it was queued.' }),
            settled_at: nullable(
              time({ description: 'When it was delivered or given up; null before that.' }),
            ),
            next_at: nullable(time({ description: 'While it is pending: when it is tried next.' })),
            attempts: listOf(attempt, { description: 'The latest attempts, newest first.' }),
          },
          { description: 'What became of one event for one endpoint.' },
        ),
      ),
      {
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
      },
    ),
  },
})

const instant = (description: string) => timeOfAnyZone({ description })

export const webhooksReplay = operatorOperation({
  ...ofOneWebhook,
  id: 'webhooks.replay',
  method: 'POST',
  path: '/webhooks/{id}/replay',
  summary: 'Send events once more',
  description: `Queues deliveries once more: one, all that failed, or every event that was logged in a span of at most ${webhooks.replayEventsMax} events.`,
  body: {
    schema: Type.Union([
      strictObject({ delivery: Type.String({ description: 'The id of one delivery.' }) }),
      strictObject({ failed: Type.Literal(true, { description: 'All that failed.' }) }),
      strictObject({
        since: instant('The first moment of the span.'),
        until: instant('The first moment after it.'),
      }),
    ]),
    examples: {
      One: { delivery: 'dlv_10482' },
      Failed: { failed: true },
      Span: { since: '2026-05-27T16:00:00Z', until: '2026-05-27T18:00:00Z' },
    },
  },
  responses: {
    200: jsonResponse(
      'They are queued.',
      strictObject({ queued: count({ description: 'How many deliveries.' }) }),
      {
        queued: 12,
      },
    ),
  },
})
