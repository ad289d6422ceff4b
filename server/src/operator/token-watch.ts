import { findValidTokenIds } from '../access/operator-tokens.ts'
import type { Database } from '../store/database.ts'
import { mainCaller, type OperatorCaller } from './authentication.ts'

/** Looks again at tokens whose calls go on: what outlasts a call must not outlast its token. */
export interface TokenWatch {
  /** Calls `onEnded` when the caller's token is revoked or expires. Returns how to stop. */
  watch(caller: OperatorCaller, onEnded: () => void): () => void
  close(): void
}

const lookEveryMs = 400

export function createTokenWatch(db: Database): TokenWatch {
  const watched = new Set<{ id: string; onEnded: () => void }>()
  let isLooking = false

  async function look(): Promise<void> {
    if (isLooking || watched.size === 0) return
    isLooking = true
    try {
      const asked = [...watched]
      const valid = await findValidTokenIds(db, [...new Set(asked.map(({ id }) => id))])
      for (const each of asked) if (!valid.has(each.id) && watched.delete(each)) each.onEnded()
    } catch {
      // The database is away: nobody knows, and nothing is applied meanwhile.
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look(), lookEveryMs)
  timer.unref()

  return {
    watch({ id }, onEnded) {
      if (id === mainCaller.id) return () => undefined
      const each = { id, onEnded }
      watched.add(each)
      return () => void watched.delete(each)
    },
    close: () => clearInterval(timer),
  }
}
