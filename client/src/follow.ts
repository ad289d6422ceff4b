import type { ChanceryEvent, EventsListParameters, EventType } from './api-types.ts'
import type { Cache } from './cache.ts'
import { urlOf } from './calls.ts'
import { type Clock, sleep } from './clock.ts'
import { ChanceryError, CursorExpired, invalidResponse } from './errors.ts'
import { createEventParser, type Message } from './event-source.ts'
import { limits } from './limits.ts'
import type { Transport } from './transport.ts'

export interface FollowOptions {
  /** The last `seq` that was processed; the feed continues after it. 0: from the oldest stored event. Default: from now on. */
  after?: number | undefined
  /** Types (`war.declared`) and families (`war.*`). Default: all. */
  type?: readonly (EventType | `${string}.*` | (string & {}))[] | undefined
  /** Only events about one of these nations. */
  nation_id?: EventsListParameters['nation_id']
  /** Only events about one of these alliances. */
  alliance_id?: EventsListParameters['alliance_id']
  /** Only events about this war. */
  war_id?: EventsListParameters['war_id']
  /** @deprecated Use `type`. */
  types?: FollowOptions['type']
  /** @deprecated Use `nation_id`. */
  nationIds?: FollowOptions['nation_id']
  /** @deprecated Use `alliance_id`. */
  allianceIds?: FollowOptions['alliance_id']
  /** Stops the feed: the iterator rejects with the signal’s reason. */
  signal?: AbortSignal | undefined
  /**
   * What to do if the log does not contain the events after the position. `throw` (the default): reject with
   * `CursorExpired`. `newest`: continue with new events.
   */
  onGap?: 'throw' | 'newest' | undefined
}

/** Events as they are logged, oldest first, each exactly once. Leaving the loop closes the connection. */
export interface Followed extends AsyncIterableIterator<ChanceryEvent> {
  /** The position in the log. Store it to resume after a restart: it is never behind the last event’s `seq`. */
  readonly position: number | undefined
}

export interface FollowDependencies {
  transport: Transport
  cache: Cache
  singleFlight: { reset(): void }
  clock: Clock
  random: () => number
}

/** No data for two heartbeats means a dead connection or a buffering proxy. */
const idleTimeoutMs = 2 * limits.streamHeartbeatSeconds * 1000
const retryMsUsual = limits.streamRetrySeconds * 1000
/** After this many failures without data, the feed polls for a while. */
const failuresMax = 3
const pollMs = 10_000
const streamRetryMs = 60_000

/** Kinds and members may be added, so only the number and the type are required. */
const isEvent = (value: unknown): value is ChanceryEvent =>
  typeof value === 'object' &&
  value !== null &&
  'seq' in value &&
  Number.isSafeInteger(value.seq) &&
  'type' in value &&
  typeof value.type === 'string'

function parsedEvent(data: string): ChanceryEvent {
  try {
    const event: unknown = JSON.parse(data)
    if (isEvent(event)) return event
  } catch {}
  // Reconnecting would return the same event; polling may work.
  throw new StreamUnavailableError('an event is not valid JSON')
}

/** The stream is rejected or sends nothing: poll instead. */
class StreamUnavailableError extends Error {}

export function follow(parts: FollowDependencies, options: FollowOptions): Followed {
  const { transport, cache, singleFlight, clock, random } = parts
  const { signal, onGap = 'throw' } = options
  const filter = {
    type: options.type ?? options.types,
    nation_id: options.nation_id ?? options.nationIds,
    alliance_id: options.alliance_id ?? options.allianceIds,
    war_id: options.war_id,
  }
  // Throws at once if an option is invalid.
  urlOf('', filter)
  let position = options.after
  let hasResponded = false
  const ending = new AbortController()
  const onAbort = () => ending.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })

  /** Whether an event is new. Invalidates the cache for new events. */
  function isNew(event: ChanceryEvent): boolean {
    if (position !== undefined && event.seq <= position) return false
    position = event.seq
    cache.invalidate(event)
    singleFlight.reset()
    return true
  }

  /** One connection, until it ends. Throws `NoStream` where there is none to be had. */
  async function* connect(): AsyncGenerator<Message> {
    const connection = new AbortController()
    const onEnd = () => connection.abort(ending.signal.reason)
    ending.signal.addEventListener('abort', onEnd, { once: true })
    let stopTimer = () => {}
    let hasReceived = false
    const restartTimer = () => {
      stopTimer()
      stopTimer = clock.after(idleTimeoutMs, () => connection.abort(new StreamUnavailableError('no data')))
    }
    try {
      const template = '/events/stream'
      const response = await transport.open({
        url: transport.base + urlOf(template, { ...filter, after: position }),
        template,
        accept: 'text/event-stream',
        signal: connection.signal,
        onSent: restartTimer,
      })
      const { status, headers, body } = response
      if (status !== 200 || !body || !headers.get('content-type')?.startsWith('text/event-stream'))
        throw new StreamUnavailableError(`status ${status}`)
      const reader = body.getReader()
      const decoder = new TextDecoder()
      const parse = createEventParser()
      for (;;) {
        const { done, value } = await reader.read()
        // The time that the caller takes for an event does not count.
        stopTimer()
        if (done) return
        hasReceived = true
        yield* parse(decoder.decode(value, { stream: true }))
        restartTimer()
      }
    } catch (error) {
      const reason = connection.signal.aborted ? connection.signal.reason : error
      // A timeout after data is an ordinary disconnect.
      if (hasReceived && reason instanceof StreamUnavailableError) return
      throw reason
    } finally {
      stopTimer()
      ending.signal.removeEventListener('abort', onEnd)
      connection.abort()
    }
  }

  async function* stream(onMessage: () => void): AsyncGenerator<ChanceryEvent, number> {
    let retryMs = retryMsUsual
    for await (const { id, data, retryMs: sentRetryMs } of connect()) {
      onMessage()
      retryMs = sentRetryMs ?? retryMs
      if (data !== undefined) {
        const event = parsedEvent(data)
        if (isNew(event)) yield event
      } else if (id !== undefined && /^\d{1,16}$/.test(id)) position = Math.max(position ?? 0, Number(id))
    }
    return retryMs
  }

  /** One page of new events. Returns whether there may be more. */
  async function* poll(): AsyncGenerator<ChanceryEvent, boolean> {
    const limit = limits.pageSizeMax
    const query = position === undefined ? { limit: 1 } : { ...filter, after: position, limit }
    const { body } = await transport.call({
      path: urlOf('/events', query),
      template: '/events',
      signal: ending.signal,
    })
    hasResponded = true
    const events: unknown[] = body && Array.isArray(body.data) ? body.data : []
    if (position === undefined) {
      const [newest] = events
      position = isEvent(newest) ? newest.seq : 0
      return false
    }
    for (const event of events) {
      if (!isEvent(event)) throw invalidResponse('The response of /events contains an invalid event.')
      if (isNew(event)) yield event
    }
    return events.length === limit
  }

  /** Whether retrying cannot help. */
  function isFinal(error: unknown): boolean {
    if (!(error instanceof ChanceryError)) return true
    const { status = 500, code } = error
    if (status >= 400 && status < 500) return status !== 408 && status !== 429
    return code === 'unexpected_response' && status < 500 && !hasResponded
  }

  async function* run(): AsyncGenerator<ChanceryEvent, void> {
    const wait = (ms: number) => sleep(clock, ms * (0.75 + random() / 2), ending.signal)
    let failures = 0
    let streamAt = clock.now()
    for (;;) {
      ending.signal.throwIfAborted()
      try {
        if (clock.now() < streamAt) {
          const hasMore = yield* poll()
          if (!hasMore) await wait(Math.min(pollMs, Math.max(0, streamAt - clock.now())))
          continue
        }
        const retryMs = yield* stream(() => {
          failures = 0
          hasResponded = true
        })
        await wait(retryMs)
      } catch (error) {
        ending.signal.throwIfAborted()
        if (error instanceof CursorExpired && onGap === 'newest') {
          // A new world may have restarted the numbers.
          position = undefined
          streamAt = clock.now()
          cache.clear()
          singleFlight.reset()
          continue
        }
        if (error instanceof StreamUnavailableError) streamAt = clock.now() + streamRetryMs
        else if (clock.now() < streamAt) {
          if (isFinal(error)) throw error
          await wait(Math.max(pollMs, ((error as ChanceryError).retryAfter ?? 0) * 1000))
        } else {
          failures += 1
          if (failures >= failuresMax) streamAt = clock.now() + streamRetryMs
          else await wait(retryMsUsual)
        }
      }
    }
  }

  const events = run()
  let isOver = false
  const close = () => {
    isOver = true
    signal?.removeEventListener('abort', onAbort)
    ending.abort()
  }

  return {
    get position() {
      return position
    },
    async next() {
      try {
        const result = await events.next()
        if (result.done) close()
        return result
      } catch (error) {
        if (isOver) return { done: true, value: undefined }
        close()
        throw error
      }
    },
    // Returns at once while `next` is pending; a generator would wait for it.
    async return() {
      close()
      await events.return().catch(() => {})
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
