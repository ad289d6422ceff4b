import { type Database, type DatabasePool, sql } from '../store/database.ts'

export interface NotifierOptions {
  pool: DatabasePool
  /** The operator's webhook, as of a chat: it may contain a secret, and is never logged. */
  url: string
  publicUrl: () => string
  onError: (error: unknown) => void
  everyMs?: number
  timeoutMs?: number
}

interface NewRequest {
  key_id: string
  key_name: string
  player_id: string
  calls_per_minute: number
  reason: string
}

/** A process that ends while it sends leaves the request to another one after this time. */
const claimedSeconds = 60
/** A webhook that fails for a day is given up. */
const triedHours = 24
const atOnce = 10

/** Sends new requests for higher limits to the operator's webhook. Of several processes one sends each. */
export function startLimitRequestNotifier(options: NotifierOptions): { close(): Promise<void> } {
  const { pool, onError, everyMs = 10_000 } = options
  const stopping = new AbortController()
  let sending: Promise<void> = Promise.resolve()
  let isSending = false
  const timer = setInterval(() => {
    if (isSending) return
    isSending = true
    sending = notify(pool, options, stopping.signal)
      .catch(onError)
      .finally(() => {
        isSending = false
      })
  }, everyMs)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      stopping.abort()
      await sending
    },
  }
}

async function notify(pool: DatabasePool, options: NotifierOptions, signal: AbortSignal): Promise<void> {
  for (const request of await claim(pool)) {
    await send(request, options, signal)
    await pool.rows(sql`
      update chancery_access.limit_request set notified_at = clock_timestamp() where key_id = ${request.key_id}`)
  }
}

const claim = (db: Database): Promise<NewRequest[]> =>
  db.rows<NewRequest>(sql`
    with claimed as (
      update chancery_access.limit_request
      set notifying_until = clock_timestamp() + make_interval(secs => ${claimedSeconds})
      where key_id in (
        select key_id from chancery_access.limit_request
        where resolved_at is null and notified_at is null
          and (notifying_until is null or notifying_until < clock_timestamp())
          and requested_at > clock_timestamp() - make_interval(hours => ${triedHours})
        order by requested_at limit ${atOnce} for update skip locked)
      returning *)
    select c.key_id, k.name as key_name, k.player_id, c.calls_per_minute, c.reason
    from claimed c join chancery_access.api_key k on k.id = c.key_id order by c.requested_at`)

async function send(
  request: NewRequest,
  { url, publicUrl, timeoutMs = 10_000 }: NotifierOptions,
  signal: AbortSignal,
): Promise<void> {
  const { key_id, key_name, player_id, calls_per_minute, reason } = request
  const text = `Player ${player_id} requests ${calls_per_minute} calls per minute for the key ${key_name} (${key_id}): ${reason}\nApprove: chancery keys approve ${key_id}\nDecline: chancery keys decline ${key_id}`
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Chancery' },
    // Untrusted text must mention no one: Slack and its like read `text`, with mentions in angle brackets; Discord reads `content`.
    body: JSON.stringify({
      type: 'limit_request',
      service: publicUrl(),
      text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      content: text,
      allowed_mentions: { parse: [] },
      data: { key_id, key_name, player_id, calls_per_minute, sentence: reason },
    }),
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  await response.body?.cancel()
  if (!response.ok) throw new WebhookRejectedError(`the operator's webhook returned ${response.status}`)
}

class WebhookRejectedError extends Error {
  override readonly name = 'WebhookRejectedError'
}
