import type { ChanceryEvent, EventType } from './api-types.ts'
import type { Cache } from './cache.ts'
import { addressOf } from './calls.ts'
import { type Clock, sleep } from './clock.ts'
import { ChanceryError, CursorExpired } from './errors.ts'
import { createEventParser, type Message } from './event-source.ts'
import { limits } from './limits.ts'
import type { Transport } from './transport.ts'

export interface FollowOptions {
  /** The last `seq` that was seen: everything after it comes. 0 begins with the oldest event that is kept. Without it: from now on. */
  after?: number | undefined
  /** Kinds (`war.declared`) and families (`war.*`). Default: all. */
  types?: readonly (EventType | `${string}.*` | (string & {}))[] | undefined
  /** Only events about one of these nations. */
  nationIds?: readonly string[] | undefined
  /** Only events about one of these alliances. */
  allianceIds?: readonly string[] | undefined
  /** Ends it: the iterator rejects with the signal’s reason. */
  signal?: AbortSignal | undefined
  /**
   * What to do where the log does not hold what came after the position. `throw` (the default): reject with
   * `CursorExpired`. `newest`: go on with what happens from now on.
   */
  onGap?: 'throw' | 'newest' | undefined
}

/** Events as they happen, oldest first: each once, and none left out. Leaving the loop closes the connection. */
export interface Followed extends AsyncIterableIterator<ChanceryEvent> {
  /** How far the log has been looked through. Keep it to go on after a restart: it is never behind the last event’s `seq`. */
  readonly position: number | undefined
}

export interface FollowParts {
  transport: Transport
  cache: Cache
  flights: { close(): void }
  clock: Clock
  random: () => number
}

/** Silence for two heartbeats means a dead connection, or something between that gathers what it should pass on. */
const silenceMs = 2 * limits.streamHeartbeatSeconds * 1000
const retryMsUsual = limits.streamRetrySeconds * 1000
/** A stream that fails so often before its first word is left alone for a while. */
const failuresMax = 3
const pollMs = 10_000
const streamAgainMs = 60_000

/** Kinds may be added, and members to each: what an event has to have here is its number and its kind. */
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
  // Asked for again it would be no better: the list may tell it.
  throw new NoStream('an event that cannot be read')
}

/** A stream was refused or says nothing: polling does better, or says why not. */
class NoStream extends Error {}

export function follow(parts: FollowParts, options: FollowOptions): Followed {
  const { transport, cache, flights, clock, random } = parts
  const { signal, onGap = 'throw' } = options
  const filter = { type: options.types, nation_id: options.nationIds, alliance_id: options.allianceIds }
  // Wrong options are told at once.
  addressOf('', filter)
  let position = options.after
  let hasAnswered = false
  const ending = new AbortController()
  const onAbort = () => ending.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })

  /** Whether an event is news; from then on the cache does not show what was before it. */
  function isNew(event: ChanceryEvent): boolean {
    if (position !== undefined && event.seq <= position) return false
    position = event.seq
    cache.drop(event)
    flights.close()
    return true
  }

  /** One connection, until it ends. Throws `NoStream` where there is none to be had. */
  async function* connect(): AsyncGenerator<Message> {
    const connection = new AbortController()
    const onEnd = () => connection.abort(ending.signal.reason)
    ending.signal.addEventListener('abort', onEnd, { once: true })
    let stopTimer = () => {}
    let hasSpoken = false
    const listen = () => {
      stopTimer()
      stopTimer = clock.after(silenceMs, () => connection.abort(new NoStream('silence')))
    }
    try {
      const path = addressOf('/events/stream', { ...filter, after: position })
      const response = await transport.open({ path, signal: connection.signal, onSent: listen })
      const { status, headers, body } = response
      if (status !== 200 || !body || !headers.get('content-type')?.startsWith('text/event-stream'))
        throw new NoStream(`status ${status}`)
      const reader = body.getReader()
      const decoder = new TextDecoder()
      const parse = createEventParser()
      for (;;) {
        const { done, value } = await reader.read()
        // Whoever takes their time over an event has not been met with silence.
        stopTimer()
        if (done) return
        hasSpoken = true
        yield* parse(decoder.decode(value, { stream: true }))
        listen()
      }
    } catch (error) {
      const reason = connection.signal.aborted ? connection.signal.reason : error
      // Silence after words is a cut like any other.
      if (hasSpoken && reason instanceof NoStream) return
      throw reason
    } finally {
      stopTimer()
      ending.signal.removeEventListener('abort', onEnd)
      connection.abort()
    }
  }

  async function* stream(onHeard: () => void): AsyncGenerator<ChanceryEvent, number> {
    let retryMs = retryMsUsual
    for await (const { id, data, retryMs: told } of connect()) {
      onHeard()
      retryMs = told ?? retryMs
      if (data !== undefined) {
        const event = parsedEvent(data)
        if (isNew(event)) yield event
      } else if (id !== undefined && /^\d{1,16}$/.test(id)) position = Math.max(position ?? 0, Number(id))
    }
    return retryMs
  }

  /** One page of what is new. Returns whether there may be more. */
  async function* poll(): AsyncGenerator<ChanceryEvent, boolean> {
    const limit = limits.pageSizeMax
    const query = position === undefined ? { limit: 1 } : { ...filter, after: position, limit }
    const { body } = await transport.call({ path: addressOf('/events', query), signal: ending.signal })
    hasAnswered = true
    const events: unknown[] = body && Array.isArray(body.data) ? body.data : []
    if (position === undefined) {
      const [newest] = events
      position = isEvent(newest) ? newest.seq : 0
      return false
    }
    for (const event of events) {
      if (!isEvent(event))
        throw new ChanceryError('/events told of no events.', { code: 'unexpected_answer', status: 200 })
      if (isNew(event)) yield event
    }
    return events.length === limit
  }

  /** Whether waiting cannot help. */
  function isFinal(error: unknown): boolean {
    if (!(error instanceof ChanceryError)) return true
    const { status = 500, code } = error
    if (status >= 400 && status < 500) return status !== 408 && status !== 429
    return code === 'unexpected_answer' && status < 500 && !hasAnswered
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
          hasAnswered = true
        })
        await wait(retryMs)
      } catch (error) {
        ending.signal.throwIfAborted()
        if (error instanceof CursorExpired && onGap === 'newest') {
          // The numbers may have begun again, with another world.
          position = undefined
          streamAt = clock.now()
          cache.clear()
          flights.close()
          continue
        }
        if (error instanceof NoStream) streamAt = clock.now() + streamAgainMs
        else if (clock.now() < streamAt) {
          if (isFinal(error)) throw error
          await wait(Math.max(pollMs, ((error as ChanceryError).retryAfter ?? 0) * 1000))
        } else {
          failures += 1
          if (failures >= failuresMax) streamAt = clock.now() + streamAgainMs
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
    // At once, also where an event is being waited for: a generator would wait with it.
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
