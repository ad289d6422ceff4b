import { type Database, sql } from '../store/database.ts'
import { slowForMs } from './queue.ts'

/** Of endpoints that answer within a second, of slow ones, and of those that fail: what waits for these two is their receivers' trouble. */
export const endpointClasses = ['answering', 'slow', 'failing'] as const
export type ByEndpointClass = Record<(typeof endpointClasses)[number], number>

/** The queue as the whole service has it. */
export interface QueueState {
  /** Deliveries that wait for their next attempt. */
  depth: ByEndpointClass
  /** For how long the one that waits longest has been due. */
  oldestSeconds: ByEndpointClass
  /** Endpoints by status. */
  endpoints: { status: string; count: number }[]
  /** Events of the log that are not yet queued. */
  lagEvents: number
}

/** Reads the queue; undefined while the database is away. */
export type ReadQueue = () => Promise<QueueState | undefined>

/** Who asks oftener than this sees the same numbers: counting a long queue takes a while. */
const countedEveryMs = 5_000

export function createQueueReader(db: Database, now: () => number = () => performance.now()): ReadQueue {
  let counting: { atMs: number; state: Promise<QueueState | undefined> } | undefined
  return () => {
    if (!counting || now() - counting.atMs >= countedEveryMs)
      counting = { atMs: now(), state: count(db).catch(() => undefined) }
    return counting.state
  }
}

interface QueueRow {
  endpoints: keyof ByEndpointClass
  waiting: number
  oldest_seconds: number
}

async function count(db: Database): Promise<QueueState> {
  const queues = await db.rows<QueueRow>(sql`
    select case when e.failing_since is not null then 'failing'
      when e.slow_at > clock_timestamp() - make_interval(secs => ${slowForMs / 1000}) then 'slow' else 'answering' end as endpoints, count(*) as waiting,
      coalesce(extract(epoch from clock_timestamp() - min(d.due_at) filter (where d.state = 'pending')), 0) as oldest_seconds
    from chancery_outbound.delivery d join chancery_outbound.endpoint e on e.id = d.endpoint_id and e.status = 'active'
    where d.state in ('pending', 'sending') group by 1`)
  const endpoints = await db.rows<{ status: string; count: number }>(
    sql`select status, count(*) as count from chancery_outbound.endpoint group by 1`,
  )
  const lag = await db.first<{ events: number }>(sql`
    select p.seq - f.seq as events from chancery_world.pulse p, chancery_outbound.fan_out f`)
  const byEndpoints = (measure: (queue: QueueRow) => number) => {
    const values: ByEndpointClass = { answering: 0, slow: 0, failing: 0 }
    for (const queue of queues) values[queue.endpoints] = Math.max(0, measure(queue))
    return values
  }
  return {
    depth: byEndpoints(({ waiting }) => waiting),
    oldestSeconds: byEndpoints(({ oldest_seconds }) => oldest_seconds),
    endpoints,
    lagEvents: lag?.events ?? 0,
  }
}
