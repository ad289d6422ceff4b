import type { Pulse } from '../store/pulse.ts'

export interface RevocationWatcherOptions {
  /** Those of some credentials that are still valid, by their ids. Rejects where the database is unavailable. */
  findValidIds: (ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** Calls `verify` whenever credentials may have been revoked. Returns how to stop. */
  subscribe: (verify: () => void) => () => void
}

/** Ends what outlasts its request (streams, uploads) when the key or token that admitted it is revoked. */
export interface RevocationWatcher {
  /** Calls `onRevoked` once, when the credential is no longer valid. Returns how to stop watching. */
  watch(id: string, onRevoked: () => void): () => void
  /** Verifies one credential now: it may have been revoked since its request was admitted from a cache. */
  verify(id: string): void
  close(): void
}

const retryMs = 200

export function createRevocationWatcher({
  findValidIds,
  subscribe,
}: RevocationWatcherOptions): RevocationWatcher {
  const watched = new Map<string, Set<() => void>>()
  let unverified = new Set<string>()
  let isVerifying = false
  let isClosed = false
  let retry: NodeJS.Timeout | undefined

  async function verifyAll(): Promise<void> {
    if (isVerifying) return
    isVerifying = true
    while (unverified.size > 0 && !isClosed) {
      const ids = unverified
      unverified = new Set()
      try {
        const valid = await findValidIds([...ids])
        for (const id of ids.difference(valid)) revoke(id)
      } catch {
        // The database is unavailable: retried until it responds.
        unverified = unverified.union(ids)
        retry = setTimeout(verifyAll, retryMs)
        retry.unref()
        break
      }
    }
    isVerifying = false
  }

  function revoke(id: string): void {
    const callbacks = watched.get(id) ?? []
    watched.delete(id)
    for (const onRevoked of callbacks) onRevoked()
  }

  const unsubscribe = subscribe(() => {
    unverified = unverified.union(new Set(watched.keys()))
    void verifyAll()
  })

  return {
    watch(id, onRevoked) {
      const callbacks = watched.get(id) ?? new Set()
      watched.set(id, callbacks.add(onRevoked))
      return () => {
        if (callbacks.delete(onRevoked) && callbacks.size === 0 && watched.get(id) === callbacks)
          watched.delete(id)
      }
    },
    verify(id) {
      unverified.add(id)
      void verifyAll()
    },
    close() {
      isClosed = true
      clearTimeout(retry)
      unsubscribe()
    },
  }
}

/** For `subscribe`, of API keys: whenever the version of players and keys changes. */
export const onAccessChange =
  (pulse: Pick<Pulse, 'onChange'>) =>
  (verify: () => void): (() => void) => {
    let accessVersion: number | undefined
    return pulse.onChange(heartbeat => {
      if (heartbeat.accessVersion === accessVersion) return
      accessVersion = heartbeat.accessVersion
      verify()
    })
  }
