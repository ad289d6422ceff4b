import Type, { type TSchema } from 'typebox'
import { batchId } from '../facts.ts'
import { limits } from '../limits.ts'
import {
  annotate,
  count,
  listOf,
  nullable,
  patternString,
  strictObject,
  text,
  time,
} from '../shared-schemas.ts'
import { version } from '../version.ts'
import { feedExample, feedMembers } from './facts.ts'
import { senderExample, senderMembers } from './heartbeats.ts'
import { hasRole, jsonResponse, named, type OperatorRole, operatorOperation } from './operation.ts'

const seconds = (description: string) => Type.Number({ minimum: 0, description })
const byEndpoints = <S extends TSchema>(member: (description: string) => S, description: string) =>
  nullable(
    strictObject(
      {
        answering: member('For endpoints that respond within a second.'),
        slow: member('For endpoints that respond more slowly.'),
        failing: member('For endpoints that fail.'),
      },
      { description: `${description} Null while it is unknown.` },
    ),
  )

/** Members that do not require the database, for tokens of any role. */
const general = {
  version: text(32, { description: 'Version of the service.' }),
  game: text(100, { description: 'Name of the game, from its profile.' }),
  profile_digest: patternString('^[0-9a-f]{64}$', 'must be 64 hexadecimal digits', {
    description: 'SHA-256 of the game profile, for senders to compare it with their own.',
  }),
  migration: count({
    description: 'Number of the last migration of the database.',
  }),
  database_up: Type.Boolean({
    description: 'false while the database does not respond. Members from the database are then absent.',
  }),
}

const rolesOf = new Map<TSchema, readonly OperatorRole[]>()

/** Members for some roles, and for `admin`. They are named like the metrics with the same value. */
const byRole = {
  seq: of(['facts', 'metrics'], count({ description: 'Number of the newest event in the log.' })),
  world_version: of(
    ['facts', 'metrics'],
    count({ description: 'The world version: it increases with each change of the public world.' }),
  ),
  world_changed_at: of(['facts'], nullable(time({ description: 'When it last changed; null for never.' }))),
  ranked_version: of(
    ['facts', 'metrics'],
    count({ description: 'The version of the world that lists and rankings show.' }),
  ),
  ranking_lag_versions: of(
    ['facts', 'metrics'],
    count({ description: 'By how many versions lists and rankings are behind.' }),
  ),
  ranking_lag_seconds: of(
    ['facts', 'metrics'],
    seconds('Age of the oldest change that lists and rankings do not show; 0 when up to date.'),
  ),
  last_batch: of(
    ['facts'],
    nullable(
      strictObject(
        {
          id: batchId(),
          applied_at: time({ description: 'When it was applied.' }),
          facts: count({ description: 'Number of facts.' }),
          events: count({ description: 'Number of events that it added.' }),
        },
        { description: 'The batch that was applied last; null for none.' },
      ),
    ),
  ),
  last_batch_age_seconds: of(['facts', 'metrics'], nullable(seconds('Seconds since then; null for never.'))),
  feeds: of(
    ['facts'],
    listOf(
      strictObject({
        ...feedMembers,
        last_batch_age_seconds: nullable(seconds('Seconds since then; null for never.')),
      }),
      { description: 'The positions of all feeds, by name.' },
    ),
  ),
  senders: of(
    ['facts'],
    listOf(strictObject(senderMembers), {
      maxItems: limits.senders,
      description: 'The senders that send heartbeats, by feed.',
    }),
  ),
  refused_batches: of(
    ['facts', 'metrics'],
    count({ description: 'Number of rejected batches that have not been applied since.' }),
  ),
  set_aside_facts: of(
    ['facts', 'metrics'],
    count({ description: 'Number of facts that were set aside from their batches and do not fit yet.' }),
  ),
  latest_refused: of(
    ['facts'],
    listOf(
      strictObject({
        id: batchId(),
        refused_at: time({ description: 'When it was last rejected.' }),
        line: count({ description: 'The line of the fact; 0 if the error is not about a single fact.' }),
        path: text(1000, { description: 'JSON pointer into the fact.' }),
        reason: text(2000, { description: 'The first reason.' }),
      }),
      { maxItems: 5, description: 'The latest rejected batches, newest first.' },
    ),
  ),
  webhook_queue_depth: of(
    ['metrics'],
    byEndpoints(description => count({ description }), 'Deliveries that wait for their next attempt.'),
  ),
  webhook_oldest_undelivered_seconds: of(
    ['metrics'],
    byEndpoints(seconds, 'For how many seconds the oldest pending delivery has been due.'),
  ),
  webhook_fan_out_lag_events: of(
    ['metrics'],
    nullable(
      count({
        description:
          'Number of events that are not yet queued for subscribed endpoints. Null while it is unknown.',
      }),
    ),
  ),
  webhook_endpoints: of(
    ['metrics'],
    nullable(
      strictObject(
        {
          unconfirmed: count({ description: 'Not yet confirmed by their receivers.' }),
          active: count({ description: 'Active.' }),
          disabled: count({ description: 'Disabled.' }),
        },
        { description: 'Number of webhook endpoints. Null while it is unknown.' },
      ),
    ),
  ),
  streams_open: of(['metrics'], count({ description: 'Open event streams of the process that responds.' })),
  limits_shared: of(
    ['metrics'],
    nullable(
      Type.Boolean({
        description:
          'Whether limits are exact over all processes: false while Valkey or Redis does not respond, null if none is configured.',
      }),
    ),
  ),
  limit_requests: of([], count({ description: 'Number of pending requests for a higher limit of a key.' })),
  log_gaps: of(
    ['metrics'],
    count({ description: 'Number of gaps in the event numbers. Only restoring a backup makes gaps.' }),
  ),
}

/** An optional member for these roles, which its description names. */
function of<S extends TSchema>(roles: readonly OperatorRole[], schema: S) {
  const { description = '' } = schema as { description?: string }
  const named = [...roles, 'admin'].map(role => `\`${role}\``).join(', ')
  const member = Type.Optional(annotate(schema, { description: `${description} For ${named}.` }))
  rolesOf.set(member, roles)
  return member
}

/** Whether the status for a token of these roles contains a member. */
export const isStatusMemberFor = (roles: ReadonlySet<OperatorRole>, member: string): boolean =>
  Object.hasOwn(general, member) ||
  (Object.hasOwn(byRole, member) && hasRole(roles, rolesOf.get(byRole[member as keyof typeof byRole]) ?? []))

const status = named(
  'Status',
  strictObject({ ...general, ...byRole }, { description: 'The status of the service.' }),
)

const example = {
  version,
  game: 'Meridian',
  profile_digest: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  migration: 13,
  database_up: true,
  seq: 10_482,
  world_version: 9_117,
  world_changed_at: '2026-05-27T18:00:01.204Z',
  ranked_version: 9_117,
  ranking_lag_versions: 0,
  ranking_lag_seconds: 0,
  last_batch: { id: 'turn-8817', applied_at: '2026-05-27T18:00:01.204Z', facts: 412, events: 37 },
  last_batch_age_seconds: 21.4,
  feeds: [{ ...feedExample, last_batch_age_seconds: 21.4 }],
  senders: [senderExample],
  refused_batches: 1,
  set_aside_facts: 0,
  latest_refused: [
    {
      id: 'turn-8818',
      refused_at: '2026-05-27T18:00:03.118Z',
      line: 2,
      path: '/data/nation_name',
      reason: 'must not have more than 100 characters',
    },
  ],
  webhook_queue_depth: { answering: 3, slow: 0, failing: 0 },
  webhook_oldest_undelivered_seconds: { answering: 0.2, slow: 0, failing: 0 },
  webhook_fan_out_lag_events: 0,
  webhook_endpoints: { unconfirmed: 0, active: 4, disabled: 1 },
  streams_open: 12,
  limits_shared: true,
  limit_requests: 1,
  log_gaps: 0,
}

export const statusGet = operatorOperation({
  id: 'status.get',
  method: 'GET',
  path: '/status',
  tag: 'Service',
  roles: ['facts', 'identity', 'metrics'],
  summary: 'Read the status',
  description:
    'The state of the world, the last batches, rejected batches and queues. Each role gets the members that it needs; `admin` gets all. While the database does not respond, the status is sent within two seconds without the members from the database. A member with the same value as a metric has its name without `chancery_`.',
  responses: { 200: jsonResponse('The status.', status, example) },
})

export const metricsGet = operatorOperation({
  id: 'metrics.get',
  method: 'GET',
  path: '/metrics',
  tag: 'Service',
  roles: ['metrics'],
  summary: 'Read the metrics',
  description:
    'Metrics for Prometheus. They are available while the database is not, without those from the database.',
  responses: {
    200: {
      description: 'The metrics.',
      content: {
        'text/plain': {
          schema: Type.String({ description: 'In the text format of Prometheus.' }),
          examples: {
            Metrics:
              '# HELP chancery_facts_total Facts applied.\n# TYPE chancery_facts_total counter\nchancery_facts_total 412\n',
          },
        },
      },
    },
  },
})
