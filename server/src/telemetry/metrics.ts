import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'

/** What the operator's Prometheus reads. Labels are names of the contract: never a path, a key or a code. */
export function createMetrics() {
  const registry = new Registry()
  // Measured once a second, because the default of 100 ms costs an idle process 0.3 % of a core.
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: 1_000 })
  const registers = [registry]
  return {
    registry,
    requests: new Counter({
      name: 'chancery_requests_total',
      help: 'Answers of the API by operation and status.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'chancery_answer_seconds',
      help: 'Time from a request to the end of its answer; to its beginning where it is a stream.',
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
    batches: new Counter({
      name: 'chancery_batches_total',
      help: 'Batches of facts by what became of them.',
      labelNames: ['status'],
      registers,
    }),
    deadLettersDropped: new Counter({
      name: 'chancery_refused_batches_dropped_total',
      help: 'Refused batches dropped, or kept without facts, because the dead-letter store was full.',
      registers,
    }),
    facts: new Counter({ name: 'chancery_facts_total', help: 'Facts applied.', registers }),
    events: new Counter({ name: 'chancery_events_total', help: 'Events logged by this process.', registers }),
    streamsOpen: new Gauge({
      name: 'chancery_streams_open',
      help: 'Event streams that are open.',
      registers,
    }),
    streamedEvents: new Counter({
      name: 'chancery_streamed_events_total',
      help: 'Events written to streams: each once for every reader.',
      registers,
    }),
    streamsEnded: new Counter({
      name: 'chancery_streams_ended_total',
      help: 'Streams that ended: the reader left (reader) or took nothing (slow), its key did not hold (key), the service closed (shutdown), the time asked for was over (until).',
      labelNames: ['reason'],
      registers,
    }),
    rankingRounds: new Histogram({
      name: 'chancery_ranking_round_seconds',
      help: 'Duration of ranking rounds in seconds, excluding waits for batches.',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
    limitsShared: new Gauge({
      name: 'chancery_limits_shared',
      help: '1 while limits are exact over all processes, 0 while the store for that is away. Missing where none is configured.',
      registers,
    }),
    databaseUp: new Gauge({
      name: 'chancery_database_up',
      help: '1 while the database answers, 0 while it is silent or away.',
      registers,
    }),
    databaseErrors: new Counter({
      name: 'chancery_database_errors_total',
      help: 'Idle connections that broke.',
      registers,
    }),
    logLinesDropped: new Counter({
      name: 'chancery_log_lines_dropped_total',
      help: 'Log lines dropped because standard error could not be written or its reader was too slow.',
      registers,
    }),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
