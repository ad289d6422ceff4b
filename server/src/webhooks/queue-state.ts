import { type Database, sql } from '../store/database.ts'

/** Of endpoints that answer, and of those that fail: what waits for these is their receivers' trouble. */
export interface ByEndpoints {
  answering: number
  failing: number
}

/** The queue as the whole service has it. */
export interface QueueState {
  /** Deliveries that wait for their next attempt. */
  depth: ByEndpoints
  /** For how long the one that waits longest has been due. */
  oldestSeconds: ByEndpoints
  /** Endpoints by status. */
  endpoints: { status: string; count: number }[]
  /** Events of the log that are not yet queued. */
  lagEvents: number
}

/** Reads the queue; undefined while the database is away. */
export type ReadQueue = () => Promise<QueueState | undefined>

/** Who asks oftener than this sees the same numbers: counting a long queue takes a while. */
const countedEveryMs = 5_000

export function createQueueState(db: Database, now: () => number = () => performance.now()): ReadQueue {
  let counting: { atMs: number; state: Promise<QueueState | undefined> } | undefined
  return () => {
    if (!counting || now() - counting.atMs >= countedEveryMs)
      counting = { atMs: now(), state: count(db).catch(() => undefined) }
    return counting.state
  }
}

interface QueueRow {
  is_failing: boolean
  waiting: number
  oldest_seconds: number
}

async function count(db: Database): Promise<QueueState> {
  const queues = await db.rows<QueueRow>(sql`
    select e.failing_since is not null as is_failing, count(*) as waiting,
      coalesce(extract(epoch from clock_timestamp() - min(d.due_at) filter (where d.state = 'pending')), 0) as oldest_seconds
    from chancery_outbound.delivery d join chancery_outbound.endpoint e on e.id = d.endpoint_id and e.status = 'active'
    where d.state in ('pending', 'sending') group by 1`)
  const endpoints = await db.rows<{ status: string; count: number }>(
    sql`select status, count(*) as count from chancery_outbound.endpoint group by 1`,
  )
  const lag = await db.first<{ events: number }>(sql`
    select p.seq - f.seq as events from chancery_world.pulse p, chancery_outbound.fan_out f`)
  const of = (is_failing: boolean) => queues.find(queue => queue.is_failing === is_failing)
  return {
    depth: { answering: of(false)?.waiting ?? 0, failing: of(true)?.waiting ?? 0 },
    oldestSeconds: {
      answering: Math.max(0, of(false)?.oldest_seconds ?? 0),
      failing: Math.max(0, of(true)?.oldest_seconds ?? 0),
    },
    endpoints,
    lagEvents: lag?.events ?? 0,
  }
}
