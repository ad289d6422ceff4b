import { Redis, type Result } from 'ioredis'
import { createCircuitBreaker, reasonOf } from './circuit-breaker.ts'
import {
  defaultWindowMs,
  type LimitStore,
  type RateLimitState,
  rateLimitState,
  type SharedLimit,
  stricter,
} from './rate-limit.ts'

/**
 * Takes a call from every window, or from none where one has no room: whether it did, and of each window the count and the
 * milliseconds left. What is refused is not counted: it would hold against a limit that is raised within the window.
 * KEYS: the windows. ARGV: milliseconds of a window, and the limit of each.
 */
const takeScript = `
local window = tonumber(ARGV[1])
local taken = 1
local windows = {}
for index, key in ipairs(KEYS) do
  local count = tonumber(redis.call('get', key) or '0')
  local left = redis.call('pttl', key)
  -- More than a window is left where the server's clock was set back: nobody waits longer for that.
  local isNew = left < 0 or left > window
  if isNew then
    count = 0
    left = window
  end
  if count >= tonumber(ARGV[index + 1]) then taken = 0 end
  windows[index] = { count, left, isNew }
end
local result = { taken }
for index, key in ipairs(KEYS) do
  local count, left, isNew = unpack(windows[index])
  if taken == 1 then
    count = count + 1
    if isNew then redis.call('set', key, 1, 'px', window) else redis.call('incr', key) end
  end
  result[#result + 1] = count
  result[#result + 1] = left
end
return result
`

/** The count so far, and the milliseconds left: negative where no window runs. */
const peekScript = `return { tonumber(redis.call('get', KEYS[1]) or '0'), redis.call('pttl', KEYS[1]) }`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeCall(
      keyCount: number,
      ...keysWindowMsAndLimits: (string | number)[]
    ): Result<[taken: number, ...countsAndLeftMs: number[]], Context>
    peekCalls(key: string): Result<[count: number, leftMs: number], Context>
  }
}

/** The braces put all windows into one hash slot: a script may take two of them, also where the server is in cluster mode. */
const keyOf = (subject: string): string => `{chancery:limit}:${subject}`

/** The probe writes as a caller does, to two windows: a store that answers but refuses to write (a replica) is not up. */
const probes = ['~probe', '~probe-shared'].map(subject => ({ subject, limit: Number.MAX_SAFE_INTEGER }))

/**
 * Limits that hold over all processes on one Redis or Valkey. While it is away, `fallback` answers for
 * this process; a probe alone asks the store, which returns by itself. Owns `fallback` and closes it.
 * Throws a RangeError unless `windowMs` is whole seconds.
 */
export function createRedisLimits(options: {
  url: string
  fallback: LimitStore
  windowMs?: number
  now?: () => number
  onStateChange?: (isUp: boolean, reason?: string) => void
  commandTimeoutMs?: number | undefined
}): LimitStore {
  const { fallback, windowMs = defaultWindowMs, now = Date.now, commandTimeoutMs = 200 } = options
  if (windowMs < 1000 || windowMs % 1000 !== 0) throw new RangeError('windowMs must be whole seconds')

  const client = connect(options.url, commandTimeoutMs)

  const gather = pipelineWrites(client)
  const consume = (windows: readonly SharedLimit[]) => {
    gather()
    const keys = windows.map(({ subject }) => keyOf(subject))
    const limits = windows.map(({ limit }) => limit)
    return withTimeout(commandTimeoutMs, client.takeCall(keys.length, ...keys, windowMs, ...limits))
  }

  /** Until when windows of this process may still run, by the monotonic clock. */
  let runHereUntil = Number.POSITIVE_INFINITY

  const availability = createCircuitBreaker({
    probe: () => consume(probes),
    onChange(isUp, reason) {
      runHereUntil = isUp ? performance.now() + windowMs : Number.POSITIVE_INFINITY
      options.onStateChange?.(isUp, reason)
    },
  })
  // Without a listener ioredis prints errors to the console.
  client.on('error', (err: unknown) => availability.fail(reasonOf(err)))
  client.on('close', () => availability.fail('connection closed'))
  client.on('ready', () => availability.check())

  const askStore = async (
    question: () => Promise<RateLimitState>,
    otherwise: () => RateLimitState | Promise<RateLimitState>,
  ): Promise<RateLimitState> => {
    // A process that has just started waits for its first connection, at most as long as for a command.
    if (availability.state() === 'unknown') {
      await withTimeout(commandTimeoutMs, availability.known).catch(() => undefined)
    }
    if (availability.state() !== 'up') return otherwise()
    try {
      return await question()
    } catch (err) {
      availability.fail(reasonOf(err))
      return otherwise()
    }
  }

  /** The windows that run in this process from a time in which the store was away. */
  const windowHere = async (
    subject: string,
    limit: number,
    shared?: SharedLimit,
  ): Promise<RateLimitState | undefined> => {
    if (performance.now() >= runHereUntil) return undefined
    const own = await fallback.peek(subject, limit)
    const ours = shared && (await fallback.peek(shared.subject, shared.limit))
    const isRunning = own.remaining < limit || (ours && ours.remaining < ours.limit)
    if (!isRunning) return undefined
    return ours ? stricter(own, ours) : own
  }

  const takeShared = async (
    subject: string,
    limit: number,
    shared?: SharedLimit,
  ): Promise<RateLimitState> => {
    const [taken, count = 0, leftMs = 0, sharedCount = 0, sharedLeftMs = 0] = await consume(
      shared ? [{ subject, limit }, shared] : [{ subject, limit }],
    )
    const atMs = now()
    const stateOf = (limit: number, count: number, leftMs: number) =>
      rateLimitState({ limit, count, isAllowed: taken === 1, resetAt: atMs + leftMs, leftMs })
    const own = stateOf(limit, count, leftMs)
    return shared ? stricter(own, stateOf(shared.limit, sharedCount, sharedLeftMs)) : own
  }

  const peekShared = async (subject: string, limit: number): Promise<RateLimitState> => {
    const [counted, left] = await withTimeout(commandTimeoutMs, client.peekCalls(keyOf(subject)))
    const isRunning = left >= 0 && left <= windowMs
    const count = isRunning ? counted : 0
    const leftMs = isRunning ? left : windowMs
    return rateLimitState({ limit, count, isAllowed: count < limit, resetAt: now() + leftMs, leftMs })
  }

  /**
   * What was taken here while the store was away still counts when it is back: a store that comes back empty would else give
   * everybody another window.
   */
  const take = async (subject: string, limit: number, shared?: SharedLimit): Promise<RateLimitState> => {
    const here = await windowHere(subject, limit, shared)
    if (here?.isAllowed === false) return here
    const stored = await takeShared(subject, limit, shared)
    return here && stored.isAllowed
      ? stricter(stored, await fallback.consume(subject, limit, shared))
      : stored
  }

  const peek = async (subject: string, limit: number): Promise<RateLimitState> => {
    const here = await windowHere(subject, limit)
    const stored = await peekShared(subject, limit)
    return here ? stricter(stored, here) : stored
  }

  return {
    consume(subject, limit, shared) {
      const local = () => fallback.consume(subject, limit, shared)
      return availability.state() === 'down' ? local() : askStore(() => take(subject, limit, shared), local)
    },

    peek(subject, limit) {
      const local = () => fallback.peek(subject, limit)
      return availability.state() === 'down' ? local() : askStore(() => peek(subject, limit), local)
    },

    async close() {
      availability.close()
      await disconnect(client)
      await fallback.close()
    },
  }
}

/**
 * Makes a function to call before a command: what is asked in one turn of the loop goes out in one write at its end. (The
 * automatic pipelines of ioredis do the same for more than a write costs.)
 */
function pipelineWrites(client: Redis): () => void {
  let isGathering = false
  return () => {
    // Not there before the first connection, whatever its type says.
    const { stream } = client
    if (isGathering || !stream) return
    isGathering = true
    stream.cork()
    setImmediate(() => {
      isGathering = false
      stream.uncork()
    })
  }
}

/** ioredis hangs calls while a server is away and retries ever more slowly; these options do neither. */
function connect(url: string, commandTimeoutMs: number): Redis {
  // ioredis takes any other scheme for a host name.
  return new Redis(url.replace(/^valkey/, 'redis'), {
    enableOfflineQueue: false,
    // A take whose answer was lost is not sent again: it may have been counted.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 5 * commandTimeoutMs,
    // Ends connections that stay silent: a stopped server, a path that drops packets. No `commandTimeout`:
    // it also fires when this process was busy (see `within`).
    socketTimeout: 5 * commandTimeoutMs,
    disconnectTimeout: 200,
    maxLoadingRetryTime: 500,
    retryStrategy: attempt => Math.min(attempt * 100, 1000),
    // After a failover the name may lead to the new primary.
    reconnectOnError: err => err.message.startsWith('READONLY'),
    disableClientInfo: true,
    scripts: {
      takeCall: { lua: takeScript },
      peekCalls: { lua: peekScript, numberOfKeys: 1 },
    },
  })
}

async function disconnect(client: Redis): Promise<void> {
  // Between two connections there is none to wait for: ioredis then never says 'end'.
  const hasConnection = client.status !== 'reconnecting' && client.status !== 'end'
  const ended = hasConnection ? new Promise(resolve => client.once('end', resolve)) : undefined
  client.disconnect()
  await ended
}

/** The answer, or a rejection when there is none within `timeoutMs`. */
export function withTimeout<T>(timeoutMs: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Error(`no answer within ${timeoutMs} ms`))
    // Timers run before sockets are read. A process that was busy for the whole time looks at what has
    // arrived once more before it calls the other side silent.
    const timer = setTimeout(() => setImmediate(expire), timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
