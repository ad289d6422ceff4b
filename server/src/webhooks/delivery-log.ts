import { type DeliveryState, type WebhookDelivery, webhooks } from '@chancery/contract'
import { type Database, type DatabasePool, deleteInSteps, isoTime, type Sql, sql } from '../store/database.ts'
import { isSuccess, sentHeaders } from './attempt.ts'
import { utc } from './endpoint-store.ts'
import type { AttemptResponse, Message } from './outbound/sender.ts'

export interface DeliveryFilter {
  state?: DeliveryState | undefined
  limit: number
}

/**
 * The public id of a delivery `d`. The number of its event is unique per endpoint and public; the table's own number would reveal how
 * many deliveries other endpoints have. A test written by an earlier version during an upgrade has no `test_id`.
 */
const deliveryId = sql`
  case when d.seq is not null then 'dlv_' || d.seq
    else 'dlv_test_' || replace(coalesce(d.test_id::text, md5(d.endpoint_id || d.created_at)), '-', '') end`

export const attemptsShown = webhooks.retryDelaysSeconds.length + 1

/** The newest deliveries and tests of an endpoint, by when they were queued. */
export async function listDeliveries(
  db: Database,
  endpointId: string,
  { state, limit }: DeliveryFilter,
): Promise<WebhookDelivery[]> {
  const inState: Sql = state === undefined ? sql`true` : sql`d.state = ${state}`
  const newest = (condition: Sql, order: Sql) => sql`
    (select d.* from chancery_outbound.delivery d
     where d.endpoint_id = ${endpointId} and ${inState} and ${condition} order by ${order} desc limit ${limit})`
  return db.rows<WebhookDelivery>(sql`
    select ${deliveryId} as id, 'evt_' || d.seq as event_id, 
      case when d.seq is null then ${webhooks.testType} else coalesce(e.type, ${webhooks.expiredType}) end as type,
      d.state, d.created_at, d.finished_at as settled_at, case when d.state = 'pending' then d.due_at end as next_at,
      coalesce((
        select json_agg(json_build_object('number', a.number, 'attempted_at', ${utc(sql`a.attempted_at`)},
          'latency_ms', a.latency_ms, 'status', a.status, 'error', a.error, 'answer', a.response,
          'next_at', ${utc(sql`a.next_at`)}) order by a.number desc)
        from (
          select * from chancery_outbound.attempt where delivery_id = d.id order by number desc limit ${attemptsShown}
        ) a), '[]') as attempts
    from (
      ${newest(sql`d.seq is not null`, sql`d.seq`)} union all ${newest(sql`d.seq is null`, sql`d.id`)}
    ) d left join chancery_world.event e using (seq)
    order by d.created_at desc, d.id desc limit ${limit}`)
}

interface SentTest {
  testId: string
  endpointId: string
  message: Message
  response: AttemptResponse
  nowMs: number
}

/** Records a test: a delivery outside of the queue. */
export async function recordTest(
  db: Database,
  { testId, endpointId, message, response, nowMs }: SentTest,
): Promise<void> {
  const now = isoTime(nowMs)
  const { status, error, body, latencyMs } = response
  const { signature, user_agent } = sentHeaders(message)
  const [state, failures] = isSuccess(response) ? ['delivered', 0] : ['failed', 1]
  await db.rows(sql`
    with delivery as (
      insert into chancery_outbound.delivery
        (endpoint_id, test_id, state, due_at, attempt, failures, created_at, finished_at)
      values (${endpointId}, ${testId}, ${state}, ${now}, 1, ${failures}, ${now}, ${now})
      returning id
    )
    insert into chancery_outbound.attempt
      (delivery_id, number, attempted_at, latency_ms, status, error, response, signature, user_agent)
    select id, 1, ${now}, ${Math.round(latencyMs)}, ${status}, ${error}, ${body}, ${signature}, ${user_agent} from delivery`)
}

const dayMs = 86_400_000

/** Deletes deliveries that finished before the retention time, and those of removed endpoints. Returns how many rows. */
export async function pruneDeliveryLog(pool: DatabasePool, nowMs: number): Promise<number> {
  const before = isoTime(nowMs - webhooks.logDays * dayMs)
  return (
    (await deleteInSteps(pool, sql`chancery_outbound.attempt`, sql`attempted_at < ${before}`)) +
    (await deleteInSteps(
      pool,
      sql`chancery_outbound.delivery`,
      sql`created_at < ${before} and (finished_at < ${before}
        or not exists (select from chancery_outbound.endpoint e where e.id = endpoint_id))`,
    ))
  )
}
