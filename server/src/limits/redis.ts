import { Redis, type Result } from 'ioredis'
import { connectionErrorText, createCircuitBreaker } from './circuit-breaker.ts'
import {
  defaultWindowMs,
  type LimitStore,
  type RateLimitState,
  rateLimitState,
  type SharedLimit,
  stricter,
} from './rate-limit.ts'

/**
 * Consumes one request from every window, or from none where one is full. Returns whether it did, and for each window the count and the
 * milliseconds left. Rejected requests are not counted, so that a raised limit takes effect within the window.
 * KEYS: the windows. ARGV: milliseconds of a window, and the limit of each.
 */
const takeScript = `
local window = tonumber(ARGV[1])
local taken = 1
local windows = {}
for index, key in ipairs(KEYS) do
  local count = tonumber(redis.call('get', key) or '0')
  local left = redis.call('pttl', key)
  -- More than a window is left where the server's clock was set back: a new window begins.
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

/** The count and the milliseconds left, negative where no window runs. */
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

/** The braces put all windows of a namespace into one hash slot, so that a script may use two of them in cluster mode. */
const keyOf = (namespace: string, subject: string): string => `{chancery:limit:${namespace}}:${subject}`

type Request = Parameters<LimitStore['consume']>

/** The probe writes to two windows, as a request does: a server that rejects writes (a replica) is not up. */
const probes = ['~probe', '~probe-shared'].map(subject => ({ subject, limit: Number.MAX_SAFE_INTEGER }))

/**
 * Rate limits that all processes with one namespace on one Redis or Valkey share. While it is unavailable, `fallback` limits this process, and only probes
 * reach the server, until one succeeds. Owns `fallback` and closes it. Throws a RangeError unless `windowMs` is whole seconds.
 */
export function createRedisLimits(options: {
  url: string
  namespace: string
  fallback: LimitStore
  windowMs?: number
  now?: () => number
  onStateChange?: (isUp: boolean, reason?: string) => void
  commandTimeoutMs?: number | undefined
}): LimitStore {
  const { namespace, fallback, windowMs = defaultWindowMs, now = Date.now, commandTimeoutMs = 200 } = options
  if (windowMs < 1000 || windowMs % 1000 !== 0) throw new RangeError('windowMs must be whole seconds')

  const client = connect(options.url, commandTimeoutMs)

  const pipeline = pipelineWrites(client)
  const consume = (windows: readonly SharedLimit[]) => {
    pipeline()
    const keys = windows.map(({ subject }) => keyOf(namespace, subject))
    const limits = windows.map(({ limit }) => limit)
    return withTimeout(commandTimeoutMs, client.takeCall(keys.length, ...keys, windowMs, ...limits))
  }

  /** Until when windows of the fallback may still run, by the monotonic clock. */
  let fallbackRunsUntil = Number.POSITIVE_INFINITY

  const availability = createCircuitBreaker({
    probe: () => consume(probes),
    onChange(isUp, reason) {
      fallbackRunsUntil = isUp ? performance.now() + windowMs : Number.POSITIVE_INFINITY
      options.onStateChange?.(isUp, reason)
    },
  })
  // Without a listener ioredis prints errors to the console.
  client.on('error', (err: unknown) => availability.fail(connectionErrorText(err)))
  client.on('close', () => availability.fail('connection closed'))
  client.on('ready', () => availability.check())

  const tryStore = async (
    request: () => Promise<RateLimitState>,
    otherwise: () => RateLimitState | Promise<RateLimitState>,
  ): Promise<RateLimitState> => {
    // After the start, waits for the first connection, at most as long as for a command.
    if (availability.state() === 'unknown') {
      await withTimeout(commandTimeoutMs, availability.known).catch(() => undefined)
    }
    if (availability.state() !== 'up') return otherwise()
    try {
      return await request()
    } catch (err) {
      availability.fail(connectionErrorText(err))
      return otherwise()
    }
  }

  /** The state of windows that began in the fallback while the store was unavailable. */
  const fallbackWindow = async (
    ...[subject, limit, shared]: Request
  ): Promise<RateLimitState | undefined> => {
    if (performance.now() >= fallbackRunsUntil) return undefined
    const own = await fallback.peek(subject, limit)
    const ours = shared && (await fallback.peek(shared.subject, shared.limit))
    const isRunning = own.remaining < limit || (ours && ours.remaining < ours.limit)
    if (!isRunning) return undefined
    return ours ? stricter(own, ours) : own
  }

  const consumeStored = async (...[subject, limit, shared]: Request): Promise<RateLimitState> => {
    const [taken, count = 0, leftMs = 0, sharedCount = 0, sharedLeftMs = 0] = await consume(
      shared ? [{ subject, limit }, shared] : [{ subject, limit }],
    )
    const atMs = now()
    const stateOf = (limit: number, count: number, leftMs: number) =>
      rateLimitState({ limit, count, isAllowed: taken === 1, resetAt: atMs + leftMs, leftMs })
    const own = stateOf(limit, count, leftMs)
    return shared ? stricter(own, stateOf(shared.limit, sharedCount, sharedLeftMs)) : own
  }

  const peekStored = async (subject: string, limit: number): Promise<RateLimitState> => {
    const [counted, left] = await withTimeout(commandTimeoutMs, client.peekCalls(keyOf(namespace, subject)))
    const isRunning = left >= 0 && left <= windowMs
    const count = isRunning ? counted : 0
    const leftMs = isRunning ? left : windowMs
    return rateLimitState({ limit, count, isAllowed: count < limit, resetAt: now() + leftMs, leftMs })
  }

  /**
   * Requests that the fallback counted still count when the store is available again: an empty store would otherwise grant every subject
   * another window.
   */
  const consumeBoth = async (...[subject, limit, shared]: Request): Promise<RateLimitState> => {
    const local = await fallbackWindow(subject, limit, shared)
    if (local?.isAllowed === false) return local
    const stored = await consumeStored(subject, limit, shared)
    return local && stored.isAllowed
      ? stricter(stored, await fallback.consume(subject, limit, shared))
      : stored
  }

  const peek = async (subject: string, limit: number): Promise<RateLimitState> => {
    const local = await fallbackWindow(subject, limit)
    const stored = await peekStored(subject, limit)
    return local ? stricter(stored, local) : stored
  }

  return {
    consume(subject, limit, shared) {
      const local = () => fallback.consume(subject, limit, shared)
      return availability.state() === 'down'
        ? local()
        : tryStore(() => consumeBoth(subject, limit, shared), local)
    },

    peek(subject, limit) {
      const local = () => fallback.peek(subject, limit)
      return availability.state() === 'down' ? local() : tryStore(() => peek(subject, limit), local)
    },

    async close() {
      availability.close()
      await disconnect(client)
      await fallback.close()
    },
  }
}

/**
 * Makes a function to call before a command: all commands of one turn of the event loop are sent in one write. (The automatic pipelining of
 * ioredis costs more than the writes that it saves.)
 */
function pipelineWrites(client: Redis): () => void {
  let isCorked = false
  return () => {
    // Undefined before the first connection, contrary to its type.
    const { stream } = client
    if (isCorked || !stream) return
    isCorked = true
    stream.cork()
    setImmediate(() => {
      isCorked = false
      stream.uncork()
    })
  }
}

/** By default ioredis queues commands while a server is unavailable, and retries ever more slowly. */
function connect(url: string, commandTimeoutMs: number): Redis {
  // ioredis reads any other scheme as a host name.
  return new Redis(url.replace(/^valkey/, 'redis'), {
    enableOfflineQueue: false,
    // A command whose response was lost is not sent again: it may have been counted.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 5 * commandTimeoutMs,
    // Closes unresponsive connections: a stopped server, a path that drops packets. No `commandTimeout`, which also fires when this
    // process was busy (see `withTimeout`).
    socketTimeout: 5 * commandTimeoutMs,
    disconnectTimeout: 200,
    maxLoadingRetryTime: 500,
    retryStrategy: attempt => Math.min(attempt * 100, 1000),
    // After a failover the host name may resolve to the new primary.
    reconnectOnError: err => err.message.startsWith('READONLY'),
    disableClientInfo: true,
    scripts: {
      takeCall: { lua: takeScript },
      peekCalls: { lua: peekScript, numberOfKeys: 1 },
    },
  })
}

async function disconnect(client: Redis): Promise<void> {
  // Between two connections ioredis never emits 'end'.
  const hasConnection = client.status !== 'reconnecting' && client.status !== 'end'
  const ended = hasConnection ? new Promise(resolve => client.once('end', resolve)) : undefined
  client.disconnect()
  await ended
}

/** Rejects when a promise takes longer than `timeoutMs`. */
function withTimeout<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Error(`no response within ${timeoutMs} ms`))
    // Timers run before sockets are read: a process that was busy all the time first reads what has arrived.
    const timer = setTimeout(() => setImmediate(expire), timeoutMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
