/** Between two probes of a store that is unavailable. */
const probeIntervalMs = 250

/**
 * Whether a remote store is available, as far as is known. After one failure no caller waits for it until a probe has succeeded. Probes run
 * in the background, one at a time.
 */
export function createCircuitBreaker(options: {
  /** Rejects when the store does not respond within a bounded time. */
  probe: () => Promise<unknown>
  onChange?: ((isUp: boolean, reason?: string) => void) | undefined
}) {
  const { probe, onChange } = options
  const known = Promise.withResolvers<void>()
  let state: 'unknown' | 'up' | 'down' = 'unknown'
  let isProbing = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  /** Reports a failure: the store is probed in the background until it responds. */
  const fail = (reason: string): void => {
    if (isClosed) return
    // Unref'd: an unavailable store does not keep the process alive.
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

  /** Probes the store now, unless it is known to be up. */
  const check = (): void => {
    if (isClosed || isProbing || state === 'up') return
    clearTimeout(timer)
    timer = undefined
    isProbing = true
    probe()
      .finally(() => {
        isProbing = false
      })
      .then(succeed, (err: unknown) => fail(connectionErrorText(err)))
  }

  return {
    state: () => state,
    /** Resolves when the first probe has ended. */
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

/** Only the message: a Redis error also contains its command, possibly the one with the password. */
export function connectionErrorText(err: unknown): string {
  if (!(err instanceof Error)) return 'unknown'
  // A refused connection to a host name with two addresses has a code but no message.
  return err.message || ('code' in err && typeof err.code === 'string' ? err.code : err.name)
}
