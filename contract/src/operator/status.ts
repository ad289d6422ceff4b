import Type, { type TSchema } from 'typebox'
import { batchId } from '../facts.ts'
import { count, listOf, nullable, shape, text, time } from '../shapes.ts'
import { feedExample, feedMembers } from './feeds.ts'
import { jsonAnswer, named, operatorOperation } from './operation.ts'

const seconds = (description: string) => Type.Number({ minimum: 0, description })
const byEndpoints = (member: (description: string) => TSchema, description: string) =>
  nullable(
    shape(
      { answering: member('For endpoints that answer.'), failing: member('For endpoints that fail.') },
      { description: `${description} Null while it cannot be counted.` },
    ),
  )

/** Members have the names of the metrics that say the same. */
const status = named(
  'Status',
  shape(
    {
      version: text(32, { description: 'Version of the service.' }),
      game: text(100, { description: 'Name of the game, from its profile.' }),
      profile_digest: Type.String({
        pattern: '^[0-9a-f]{64}$',
        description: 'SHA-256 of the game profile: who sends facts compares it with that of their own.',
      }),
      migration: count({
        description: 'Number of the last migration that this version of the database has.',
      }),
      seq: count({ description: 'Number of the newest event in the log.' }),
      world_version: count({ description: 'How often the world has changed.' }),
      world_changed_at: nullable(time({ description: 'When it last changed; null for never.' })),
      ranked_version: count({
        description: 'The version of the world that lists and rankings show.',
      }),
      ranking_lag_versions: count({ description: 'By how many versions they are behind.' }),
      last_batch: nullable(
        shape(
          {
            id: batchId(),
            applied_at: time({ description: 'When it was applied.' }),
            facts: count({ description: 'Facts in it.' }),
            events: count({ description: 'Events that followed from it.' }),
          },
          { description: 'The batch that was applied last; null for none.' },
        ),
      ),
      last_batch_age_seconds: nullable(seconds('How long ago that was; null for never.')),
      feeds: listOf(
        shape({
          ...feedMembers,
          last_batch_age_seconds: nullable(seconds('How long ago that was; null for never.')),
        }),
        { description: 'Where every feed stands, by name.' },
      ),
      refused_batches: count({ description: 'Batches that were refused and not applied since.' }),
      latest_refused: listOf(
        shape({
          id: batchId(),
          refused_at: time({ description: 'When it was last refused.' }),
          line: count({ description: 'Which fact; 0 where no single one is at fault.' }),
          path: text(1000, { description: 'Where in the fact, as a JSON pointer.' }),
          reason: text(2000, { description: 'The first reason.' }),
        }),
        { maxItems: 5, description: 'The latest of them, newest first.' },
      ),
      webhook_queue_depth: byEndpoints(
        description => count({ description }),
        'Deliveries that wait for their next attempt.',
      ),
      webhook_oldest_undelivered_seconds: byEndpoints(
        seconds,
        'For how long the delivery that waits longest has been due.',
      ),
      webhook_fan_out_lag_events: nullable(
        count({
          description:
            'Events of the log that are not yet queued for those who want them. Null while it cannot be counted.',
        }),
      ),
      log_gaps: count({
        description: 'Holes in the numbers of the log, which only restoring a backup makes.',
      }),
    },
    { description: 'How the service is.' },
  ),
)

const example = {
  version: '0.1.0',
  game: 'Meridian',
  profile_digest: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  migration: 13,
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
  webhook_queue_depth: { answering: 3, failing: 0 },
  webhook_oldest_undelivered_seconds: { answering: 0.2, failing: 0 },
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
    'How far the world is, when the game last said something, what was refused, and what waits. Where a metric says the same, the member has its name without `chancery_`.',
  answers: { 200: jsonAnswer('How it is.', status, example) },
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
  answers: {
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
