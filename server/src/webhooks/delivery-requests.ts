import { type WebhookRequests, webhooks } from '@chancery/contract'
import { type Event, readEventsBySeq } from '../events/store.ts'
import { type Database, sql } from '../store/database.ts'
import { attemptsShown } from './delivery-log.ts'
import { testEvent, type WriteMessage } from './message.ts'

interface AttemptRow {
  seq: number | null
  test_id: string | null
  number: number
  attempted_at: string
  signature: string
  user_agent: string
}

/** No endpoint and no secret: only what does not depend on them is taken from this message. */
const noRecipient = { url: '', secrets: [] }

/**
 * What the attempts of a delivery sent; undefined for an unknown delivery. The body and its headers are built again from the event, as on
 * every attempt: texts that were redacted since are not shown. The signature is the one that was sent; the secret is not read. An attempt
 * of a version that did not keep the signature has no headers.
 */
export const createReadRequests =
  (db: Database, write: WriteMessage) =>
  async (endpointId: string, deliveryId: string): Promise<WebhookRequests | undefined> => {
    const rows = await db.rows<AttemptRow>(sql`
      select d.seq, d.test_id, a.number, a.attempted_at, a.signature, a.user_agent
      from (select * from chancery_outbound.delivery where endpoint_id = ${endpointId} and ${isNamed(deliveryId)}) d
      left join chancery_outbound.attempt a on a.delivery_id = d.id
      order by a.number desc limit ${attemptsShown}`)
    const [first] = rows
    if (!first) return undefined
    const event = await eventOf(db, endpointId, first)
    const attempts = rows.flatMap(row => {
      if (!event || row.signature === null) return []
      const { headers } = write(event, noRecipient, Date.parse(row.attempted_at))
      const sent = { ...headers, 'user-agent': row.user_agent, [webhooks.signatureHeader]: row.signature }
      return [{ number: row.number, headers: Object.entries(sent).map(([name, value]) => ({ name, value })) }]
    })
    return { body: event ? write(event, noRecipient, 0).body : null, attempts }
  }

/** The condition that a delivery has this public id. */
function isNamed(deliveryId: string) {
  const seq = /^dlv_(\d{1,15})$/.exec(deliveryId)?.[1]
  if (seq !== undefined) return sql`seq = ${Number(seq)}`
  const testId = /^dlv_test_([\da-f]{32})$/.exec(deliveryId)?.[1]
  return testId === undefined ? sql`false` : sql`seq is null and test_id = ${testId}::uuid`
}

async function eventOf(db: Database, endpointId: string, row: AttemptRow): Promise<Event | undefined> {
  if (row.seq !== null) return (await readEventsBySeq(db, [row.seq]))[0]
  if (row.test_id === null || row.attempted_at === null || row.signature === null) return undefined
  return testEvent({ testId: row.test_id, endpointId, nowMs: Date.parse(row.attempted_at) })
}
