/** Whether a remote store answers, as far as is known. */
export interface CircuitBreaker {
  state(): 'unknown' | 'up' | 'down'
  /** Settles with the first thing that is known. */
  known: Promise<void>
  /** States that the store failed; it is asked again in the background until it answers. */
  fail(reason: string): void
  /** Asks the store now, unless it is known to be up. */
  check(): void
  close(): void
}

/** Between two questions to a store that is away. */
const probeIntervalMs = 250

/**
 * A circuit: after one failure nobody waits for the store again until a probe was answered. Probes run in
 * the background, one at a time.
 */
export function createCircuitBreaker(options: {
  /** Rejects when the store does not do its work within a bounded time. */
  probe: () => Promise<unknown>
  onChange?: ((isUp: boolean, reason?: string) => void) | undefined
}): CircuitBreaker {
  const { probe, onChange } = options
  const known = Promise.withResolvers<void>()
  let state: 'unknown' | 'up' | 'down' = 'unknown'
  let isProbing = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const fail = (reason: string) => {
    if (isClosed) return
    // Unref'd: a store that is away does not keep a process from ending.
    if (!timer && !isProbing) timer = setTimeout(check, probeIntervalMs).unref()
    if (state === 'down') return
    state = 'down'
    known.resolve()
    onChange?.(false, reason)
  }

  const succeed = () => {
    if (isClosed || state === 'up') return
    state = 'up'
    known.resolve()
    onChange?.(true)
  }

  const check = () => {
    if (isClosed || isProbing || state === 'up') return
    clearTimeout(timer)
    timer = undefined
    isProbing = true
    probe()
      .finally(() => {
        isProbing = false
      })
      .then(succeed, (err: unknown) => fail(reasonOf(err)))
  }

  return {
    state: () => state,
    known: known.promise,
    fail,
    check,
    close() {
      isClosed = true
      state = 'down'
      clearTimeout(timer)
      known.resolve()
    },
  }
}

/** The message alone: a Redis error also carries its command, which may be the one with the password. */
export function reasonOf(err: unknown): string {
  if (!(err instanceof Error)) return 'unknown'
  // A refused connection to a name with two addresses has a code but no message.
  return err.message || ('code' in err && typeof err.code === 'string' ? err.code : err.name)
}
