import Type, { type TSchema } from 'typebox'
import { batchId } from '../facts.ts'
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
import { feedExample, feedMembers } from './feeds.ts'
import { jsonResponse, named, operatorOperation } from './operation.ts'
import { hasRole, type OperatorRole } from './roles.ts'

const seconds = (description: string) => Type.Number({ minimum: 0, description })
const byEndpoints = (member: (description: string) => TSchema, description: string) =>
  nullable(
    strictObject(
      {
        answering: member('For endpoints that answer within a second.'),
        slow: member('For endpoints that answer more slowly.'),
        failing: member('For endpoints that fail.'),
      },
      { description: `${description} Null while it cannot be counted.` },
    ),
  )

/** Members that need no database: a token of any role reads them. */
const general = {
  version: text(32, { description: 'Version of the service.' }),
  game: text(100, { description: 'Name of the game, from its profile.' }),
  profile_digest: patternString('^[0-9a-f]{64}$', 'must be 64 hexadecimal digits', {
    description: 'SHA-256 of the game profile: who sends facts compares it with that of their own.',
  }),
  migration: count({
    description: 'Number of the last migration that this version of the database has.',
  }),
  database_up: Type.Boolean({
    description: 'false while the database does not respond. What only the database knows is then absent.',
  }),
}

const rolesOf = new Map<TSchema, readonly OperatorRole[]>()

/** Members that are for some roles alone, and for `admin`. They have the names of the metrics that say the same. */
const byRole = {
  seq: of(['facts', 'metrics'], count({ description: 'Number of the newest event in the log.' })),
  world_version: of(['facts', 'metrics'], count({ description: 'How often the world has changed.' })),
  world_changed_at: of(['facts'], nullable(time({ description: 'When it last changed; null for never.' }))),
  ranked_version: of(
    ['facts', 'metrics'],
    count({ description: 'The version of the world that lists and rankings show.' }),
  ),
  ranking_lag_versions: of(
    ['facts', 'metrics'],
    count({ description: 'By how many versions they are behind.' }),
  ),
  last_batch: of(
    ['facts'],
    nullable(
      strictObject(
        {
          id: batchId(),
          applied_at: time({ description: 'When it was applied.' }),
          facts: count({ description: 'Facts in it.' }),
          events: count({ description: 'Events that followed from it.' }),
        },
        { description: 'The batch that was applied last; null for none.' },
      ),
    ),
  ),
  last_batch_age_seconds: of(
    ['facts', 'metrics'],
    nullable(seconds('How long ago that was; null for never.')),
  ),
  feeds: of(
    ['facts'],
    listOf(
      strictObject({
        ...feedMembers,
        last_batch_age_seconds: nullable(seconds('How long ago that was; null for never.')),
      }),
      { description: 'Where every feed stands, by name.' },
    ),
  ),
  refused_batches: of(
    ['facts', 'metrics'],
    count({ description: 'Batches that were refused and not applied since.' }),
  ),
  latest_refused: of(
    ['facts'],
    listOf(
      strictObject({
        id: batchId(),
        refused_at: time({ description: 'When it was last refused.' }),
        line: count({ description: 'Which fact; 0 where no single one is at fault.' }),
        path: text(1000, { description: 'Where in the fact, as a JSON pointer.' }),
        reason: text(2000, { description: 'The first reason.' }),
      }),
      { maxItems: 5, description: 'The latest of them, newest first.' },
    ),
  ),
  webhook_queue_depth: of(
    ['metrics'],
    byEndpoints(description => count({ description }), 'Deliveries that wait for their next attempt.'),
  ),
  webhook_oldest_undelivered_seconds: of(
    ['metrics'],
    byEndpoints(seconds, 'For how long the delivery that waits longest has been due.'),
  ),
  webhook_fan_out_lag_events: of(
    ['metrics'],
    nullable(
      count({
        description:
          'Events of the log that are not yet queued for those who want them. Null while it cannot be counted.',
      }),
    ),
  ),
  log_gaps: of(
    ['metrics'],
    count({ description: 'Holes in the numbers of the log, which only restoring a backup makes.' }),
  ),
}

/** An optional member for these roles: its description names them, so that the document does. */
function of<S extends TSchema>(roles: readonly OperatorRole[], schema: S) {
  const { description = '' } = schema as { description?: string }
  const named = [...roles, 'admin'].map(role => `\`${role}\``).join(', ')
  const member = Type.Optional(annotate(schema, { description: `${description} For ${named}.` }))
  rolesOf.set(member, roles)
  return member
}

/** Whether a token of these roles is shown a member of the status. */
export const isStatusMemberFor = (roles: ReadonlySet<OperatorRole>, member: string): boolean =>
  Object.hasOwn(general, member) ||
  (Object.hasOwn(byRole, member) && hasRole(roles, rolesOf.get(byRole[member as keyof typeof byRole]) ?? []))

const status = named(
  'Status',
  strictObject({ ...general, ...byRole }, { description: 'How the service is.' }),
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
  last_batch: { id: 'turn-8817', applied_at: '2026-05-27T18:00:01.204Z', facts: 412, events: 37 },
  last_batch_age_seconds: 21.4,
  feeds: [{ ...feedExample, last_batch_age_seconds: 21.4 }],
  refused_batches: 1,
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
  log_gaps: 0,
}

export const statusGet = operatorOperation({
  id: 'status.get',
  method: 'GET',
  path: '/status',
  tag: 'Service',
  roles: ['facts', 'identity', 'metrics'],
  summary: 'Read how the service is',
  description:
    'How far the world is, when the game last said something, what was refused, and what waits. Each role is shown the members that it needs; `admin` all. While the database does not respond, the status is sent within two seconds with the members that the service knows without it. Where a metric says the same, the member has its name without `chancery_`.',
  responses: { 200: jsonResponse('How it is.', status, example) },
})

export const metricsGet = operatorOperation({
  id: 'metrics.get',
  method: 'GET',
  path: '/metrics',
  tag: 'Service',
  roles: ['metrics'],
  summary: 'Read the metrics',
  description:
    'Metrics for Prometheus. They are answered also while the database is away; those that only it knows are missing then.',
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
