import Type, { type Static } from 'typebox'
import { feedPosition } from '../facts.ts'
import { limits } from '../limits.ts'
import { count, listOf, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { jsonResponse, operatorOperation } from './operation.ts'

const { name: feed } = feedPosition().properties

const sent = {
  sender: text(64, { description: 'What sends the feed, such as `chancery pull`.' }),
  next_within_seconds: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description:
        'After how many seconds without another heartbeat the sender counts as dead; null for a sender that runs once.',
    }),
  ),
  read_at: nullable(
    time({ description: 'When it last read the game’s data without an error; null if it has not.' }),
  ),
  error: nullable(text(500, { description: 'Why it cannot read or send at present; null if it can.' })),
  rows: nullable(
    count({ description: 'Number of rows that it read last, or that wait to be sent; null if unknown.' }),
  ),
  set_aside: count({ description: 'Number of rows that it cannot send because they were rejected.' }),
  waiting_views: listOf(
    strictObject({
      view: text(128, { description: 'Name of the view.' }),
      reason: text(500, { description: 'Why it waits.' }),
    }),
    {
      maxItems: limits.waitingViewsPerSender,
      description: 'Views that are not read, or whose deletions are held back.',
    },
  ),
}

/** The state of a sender in the status. */
export const senderMembers = {
  feed,
  ...sent,
  heartbeat_at: time({ description: 'When its last heartbeat was received.' }),
  heartbeat_age_seconds: Type.Number({ minimum: 0, description: 'Seconds since then.' }),
  read_age_seconds: nullable(Type.Number({ minimum: 0, description: 'Seconds since `read_at`.' })),
  is_overdue: Type.Boolean({ description: 'Whether its next heartbeat is overdue.' }),
}

const heartbeatSchema = strictObject(sent)
export type Heartbeat = Static<typeof heartbeatSchema>

const heartbeatExample = {
  sender: 'chancery pull',
  next_within_seconds: 60,
  read_at: '2026-05-27T18:00:00Z',
  error: null,
  rows: 18_204,
  set_aside: 2,
  waiting_views: [{ view: 'chancery_out.war', reason: 'column ended_at is missing' }],
}

export const senderExample = {
  feed: 'pull',
  ...heartbeatExample,
  heartbeat_at: '2026-05-27T18:00:01.204Z',
  heartbeat_age_seconds: 3.1,
  read_age_seconds: 4.3,
  is_overdue: false,
}

const pathParameter = { name: 'name', description: 'Name of the feed.', example: 'pull' }

export const feedsHeartbeat = operatorOperation({
  id: 'feeds.heartbeat',
  method: 'PUT',
  path: '/feeds/{name}/heartbeat',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'Send a heartbeat',
  description: `Reports that the sender of a feed runs, and how it is doing: the status and the metrics show it. \`chancery pull\` and \`chancery outbox drain\` do so. Not in the audit log. At most ${limits.senders} feeds; a heartbeat is kept for ${limits.heartbeatDays} days.`,
  pathParameter,
  body: { schema: heartbeatSchema, examples: { Heartbeat: heartbeatExample } },
  isAudited: false,
  responses: {
    200: jsonResponse(
      'The heartbeat was stored.',
      strictObject({ feed, heartbeat_at: senderMembers.heartbeat_at }),
      { feed: 'pull', heartbeat_at: '2026-05-27T18:00:01.204Z' },
    ),
  },
  errors: ['not_found'],
})

export const feedsRemoveSender = operatorOperation({
  id: 'feeds.remove_sender',
  method: 'DELETE',
  path: '/feeds/{name}/heartbeat',
  tag: 'Facts',
  roles: ['facts'],
  summary: 'Remove a sender',
  description:
    'Deletes the heartbeat of a sender that was retired, so that it does not count as dead. The position of the feed stays.',
  pathParameter,
  responses: {
    200: jsonResponse('The heartbeat was deleted.', strictObject({ feed }), { feed: 'pull' }),
  },
  errors: ['not_found'],
})
