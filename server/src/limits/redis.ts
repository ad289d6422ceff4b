import { Redis, type Result } from 'ioredis'
import { type Allowance, allowance, defaultWindowMs, type LimitStore } from './allowance.ts'
import { reasonOf, watchAvailability } from './availability.ts'
import { within } from './deadline.ts'

/**
 * Takes a call: the count with it, beyond the limit if it is refused, and the milliseconds left. What is refused is not counted:
 * it would hold against a limit that is raised within the window. ARGV: milliseconds of a window, limit.
 */
const takeScript = `
local count = tonumber(redis.call('get', KEYS[1]) or '0')
local left = redis.call('pttl', KEYS[1])
local window = tonumber(ARGV[1])
-- More than a window is left where the server's clock was set back: nobody waits longer for that.
if left < 0 or left > window then
  count = 0
  left = window
  redis.call('set', KEYS[1], 0, 'px', left)
end
if count < tonumber(ARGV[2]) then
  return { redis.call('incr', KEYS[1]), left }
end
return { count + 1, left }
`

/** The count so far, and the milliseconds left: negative where no window runs. */
const peekScript = `return { tonumber(redis.call('get', KEYS[1]) or '0'), redis.call('pttl', KEYS[1]) }`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeCall(key: string, windowMs: number, limit: number): Result<[count: number, leftMs: number], Context>
    peekCalls(key: string): Result<[count: number, leftMs: number], Context>
  }
}

const keyOf = (subject: string): string => `chancery:limit:${subject}`

/** The probe writes as a caller does: a store that answers but refuses to write (a replica) is not up. */
const probe = { subject: '~probe', limit: Number.MAX_SAFE_INTEGER }

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
  commandTimeoutMs?: number
}): LimitStore {
  const { fallback, windowMs = defaultWindowMs, now = Date.now, commandTimeoutMs = 200 } = options
  if (windowMs < 1000 || windowMs % 1000 !== 0) throw new RangeError('windowMs must be whole seconds')

  const client = connect(options.url)

  const gather = gatherWrites(client)
  const consume = (subject: string, limit: number) => {
    gather()
    return within(commandTimeoutMs, client.takeCall(keyOf(subject), windowMs, limit))
  }

  /** Until when windows of this process may still run, by the monotonic clock. */
  let runHereUntil = Number.POSITIVE_INFINITY

  const availability = watchAvailability({
    probe: () => consume(probe.subject, probe.limit),
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
    question: () => Promise<Allowance>,
    otherwise: () => Allowance | Promise<Allowance>,
  ): Promise<Allowance> => {
    // A process that has just started waits for its first connection, at most as long as for a command.
    if (availability.state() === 'unknown') {
      await within(commandTimeoutMs, availability.known).catch(() => undefined)
    }
    if (availability.state() !== 'up') return otherwise()
    try {
      return await question()
    } catch (err) {
      availability.fail(reasonOf(err))
      return otherwise()
    }
  }

  /** The window that runs in this process from a time in which the store was away. */
  const windowHere = async (subject: string, limit: number): Promise<Allowance | undefined> => {
    if (performance.now() >= runHereUntil) return undefined
    const here = await fallback.peek(subject, limit)
    return here.remaining < limit ? here : undefined
  }

  const takeShared = async (subject: string, limit: number): Promise<Allowance> => {
    const [count, leftMs] = await consume(subject, limit)
    return allowance({ limit, count, isAllowed: count <= limit, resetAt: now() + leftMs, leftMs })
  }

  const peekShared = async (subject: string, limit: number): Promise<Allowance> => {
    const [counted, left] = await within(commandTimeoutMs, client.peekCalls(keyOf(subject)))
    const isRunning = left >= 0 && left <= windowMs
    const count = isRunning ? counted : 0
    const leftMs = isRunning ? left : windowMs
    return allowance({ limit, count, isAllowed: count < limit, resetAt: now() + leftMs, leftMs })
  }

  /**
   * What was taken here while the store was away still counts when it is back: a store that comes back empty would else give
   * everybody another window.
   */
  const take = async (subject: string, limit: number): Promise<Allowance> => {
    const here = await windowHere(subject, limit)
    if (here?.isAllowed === false) return here
    const shared = await takeShared(subject, limit)
    return here && shared.isAllowed ? tighter(shared, await fallback.take(subject, limit)) : shared
  }

  const peek = async (subject: string, limit: number): Promise<Allowance> => {
    const here = await windowHere(subject, limit)
    const shared = await peekShared(subject, limit)
    return here ? tighter(shared, here) : shared
  }

  return {
    take(subject, limit) {
      const local = () => fallback.take(subject, limit)
      return availability.state() === 'down' ? local() : askStore(() => take(subject, limit), local)
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

/** Of two windows that a call must fit, the one that leaves less. */
const tighter = (one: Allowance, other: Allowance): Allowance =>
  !one.isAllowed || (other.isAllowed && one.remaining < other.remaining) ? one : other

/**
 * Makes a function to call before a command: what is asked in one turn of the loop goes out in one write at its end. (The
 * automatic pipelines of ioredis do the same for more than a write costs.)
 */
function gatherWrites(client: Redis): () => void {
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
function connect(url: string): Redis {
  // ioredis takes any other scheme for a host name.
  return new Redis(url.replace(/^valkey/, 'redis'), {
    enableOfflineQueue: false,
    // A take whose answer was lost is not sent again: it may have been counted.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 1000,
    // Ends connections that stay silent: a stopped server, a path that drops packets. No `commandTimeout`:
    // it also fires when this process was busy (see `within`).
    socketTimeout: 1000,
    disconnectTimeout: 200,
    maxLoadingRetryTime: 500,
    retryStrategy: attempt => Math.min(attempt * 100, 1000),
    // After a failover the name may lead to the new primary.
    reconnectOnError: err => err.message.startsWith('READONLY'),
    disableClientInfo: true,
    scripts: {
      takeCall: { lua: takeScript, numberOfKeys: 1 },
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
