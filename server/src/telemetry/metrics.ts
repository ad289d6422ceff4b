import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'

/** Prometheus metrics of GET /metrics on the operator API. Labels are names of the contract: never a path, a key or a code. */
export function createMetrics() {
  const registry = new Registry()
  // Measured once a second, because the default of 100 ms costs an idle process 0.3 % of a core.
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: 1_000 })
  const registers = [registry]
  return {
    registry,
    requests: new Counter({
      name: 'chancery_requests_total',
      help: 'API responses by operation and status.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'chancery_request_duration_seconds',
      help: 'Duration of API requests in seconds; of streams, until the response starts.',
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
    batches: new Counter({
      name: 'chancery_batches_total',
      help: 'Fact batches by result.',
      labelNames: ['status'],
      registers,
    }),
    deadLettersDropped: new Counter({
      name: 'chancery_dead_letters_dropped_total',
      help: 'Rejected batches dropped, or kept without facts, because the dead-letter store was full.',
      registers,
    }),
    facts: new Counter({ name: 'chancery_facts_total', help: 'Facts applied.', registers }),
    events: new Counter({
      name: 'chancery_events_total',
      help: 'Events appended to the log by this process.',
      registers,
    }),
    streamsOpen: new Gauge({
      name: 'chancery_streams_open',
      help: 'Open event streams.',
      registers,
    }),
    streamedEvents: new Counter({
      name: 'chancery_streamed_events_total',
      help: 'Events written to streams, counted once per client.',
      registers,
    }),
    streamsEnded: new Counter({
      name: 'chancery_streams_ended_total',
      help: 'Streams ended, by reason: client disconnected (client), client too slow (slow), key revoked or expired (key), shutdown (shutdown), position no longer stored, or lost in a failover (expired), until reached (until).',
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
      help: '1 while rate limits are shared by all processes, 0 while the shared store is unavailable. Absent if none is configured.',
      registers,
    }),
    databaseUp: new Gauge({
      name: 'chancery_database_up',
      help: '1 while the database responds, 0 while it does not.',
      registers,
    }),
    replicaUp: new Gauge({
      name: 'chancery_replica_up',
      help: '1 while a replica is close enough to the primary to be read, else 0. Absent if none is configured.',
      labelNames: ['replica'],
      registers,
    }),
    replicaLagSeconds: new Gauge({
      name: 'chancery_replica_lag_seconds',
      help: 'How old the state of a replica is, at most. Absent while it does not respond.',
      labelNames: ['replica'],
      registers,
    }),
    databaseReads: new Counter({
      name: 'chancery_database_reads_total',
      help: 'Responses read from the primary and from each replica. Absent if no replica is configured.',
      labelNames: ['server'],
      registers,
    }),
    databaseErrors: new Counter({
      name: 'chancery_database_errors_total',
      help: 'Idle database connections that broke.',
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

/** For gauges that are read together on each scrape: each awaits the shared read, because one that did not would be scraped before it. */
export function collectTogether(registry: Registry, read: () => Promise<void>) {
  let reading: Promise<void> | undefined
  const collect = async () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    await reading
  }
  return { registers: [registry], collect }
}
