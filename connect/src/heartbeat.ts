import { type Heartbeat, limits, operatorOperations } from '@chancery/contract'
import type { ServiceClient } from './service-client.ts'

/** What a sender says of its rows and views. */
export type SenderState = Pick<Heartbeat, 'rows' | 'set_aside' | 'waiting_views'>

export interface HeartbeatOptions {
  client: ServiceClient
  feed: string
  /** Its name in the status: `chancery pull`. */
  sender: string
  /** A sender that runs once is not expected again. */
  isOnce: boolean
  everyMs: number
  state(): SenderState
}

/** A sender counts as dead after this many missing heartbeats, but not before a minute. */
const missingMax = 4
const overdueSecondsMin = 60

/**
 * Sends heartbeats in the background, so that the status of the service shows that the sender runs, also while a round takes long. A
 * heartbeat that fails is not repeated: the next one says the same.
 */
export function startHeartbeats({ client, feed, sender, isOnce, everyMs, state }: HeartbeatOptions) {
  const overdueSeconds = Math.max(overdueSecondsMin, Math.ceil((everyMs * missingMax) / 1000))
  let readAt: string | null = null
  let error: string | null = null
  let sent = ''
  let sending: Promise<void> = Promise.resolve()
  let isStandby = false
  const timer = setInterval(send, everyMs)

  function current(): Heartbeat {
    const { waiting_views, ...rows } = state()
    return {
      sender,
      next_within_seconds: isOnce ? null : overdueSeconds,
      read_at: readAt,
      error,
      ...rows,
      waiting_views: waiting_views
        .slice(0, limits.waitingViewsPerSender)
        .map(({ view, reason }) => ({ view: view.slice(0, 128), reason: reason.slice(0, 500) })),
    }
  }

  function send(): void {
    if (isStandby) return
    const body = current()
    sent = newsOf(body)
    sending = sending
      .then(() => client.call(operatorOperations.feedsHeartbeat, { id: feed, body }))
      .then(
        () => undefined,
        () => undefined,
      )
  }

  const sendNews = () => {
    if (newsOf(current()) !== sent) send()
  }

  return {
    /** A round has read the game's data. */
    succeeded(): void {
      readAt = new Date().toISOString()
      error = null
      sendNews()
    },
    /** A round has failed, for a reason other than the service. */
    failed(message: string): void {
      error = message.slice(0, 500)
      sendNews()
    },
    /** A standby sends none: another process sends the feed. */
    setStandby(value: boolean): void {
      isStandby = value
    },
    async close(): Promise<void> {
      clearInterval(timer)
      if (isOnce) send()
      await sending
    },
  }
}

/** What is sent at once when it changes. Counts wait for the next heartbeat. */
const newsOf = ({ error, waiting_views, set_aside }: Heartbeat): string =>
  JSON.stringify([error, waiting_views.map(({ view }) => view), set_aside > 0])
