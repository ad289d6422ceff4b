import type { KeyCache } from '../access/key-cache.ts'
import type { Pulse } from '../store/pulse.ts'

export interface RevocationWatcherOptions {
  keys: Pick<KeyCache, 'findValidIds'>
  pulse: Pick<Pulse, 'onChange'>
  /** The ids of keys that are in use for longer than a call. */
  inUse: () => Iterable<string>
  onInvalid: (keyIds: ReadonlySet<string>) => void
}

const retryMs = 200

/** Looks again at keys that are in use whenever some key has changed: what outlasts a call must not outlast its key. */
export function createRevocationWatcher({ keys, pulse, inUse, onInvalid }: RevocationWatcherOptions) {
  let unsure = new Set<string>()
  let isLooking = false
  let isClosed = false
  let accessVersion: number | undefined
  let retry: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    while (unsure.size > 0 && !isClosed) {
      const asked = unsure
      unsure = new Set()
      try {
        const valid = await keys.findValidIds([...asked])
        const invalid = asked.difference(valid)
        if (invalid.size > 0) onInvalid(invalid)
      } catch {
        // The database is away: nobody knows. It is asked again until it answers.
        unsure = unsure.union(asked)
        retry = setTimeout(look, retryMs)
        retry.unref()
        break
      }
    }
    isLooking = false
  }

  const stop = pulse.onChange(beat => {
    if (beat.accessVersion === accessVersion) return
    accessVersion = beat.accessVersion
    unsure = unsure.union(new Set(inUse()))
    void look()
  })

  return {
    /** A key that comes into use: it may have changed since the call was let in. */
    add(keyId: string): void {
      unsure.add(keyId)
      void look()
    },
    close(): void {
      isClosed = true
      clearTimeout(retry)
      stop()
    },
  }
}
