import type { Pulse } from '../store/pulse.ts'

/**
 * The newest change that every process of the service returns the content of. A process may send a response from its cache for as long as
 * it trusts a heartbeat; a change that was read longer ago is in all responses. Only such changes are listed: a client that reads a
 * change and then the item never gets the former content.
 */
export interface ChangeHorizon {
  /** Undefined in the first moments of a process. */
  current(): number | undefined
  /** Calls `listener` when it advances. */
  onAdvance(listener: (seq: number) => void): void
  close(): void
}

export interface ChangeHorizonOptions {
  pulse: Pick<Pulse, 'current' | 'onChange'>
  /** How long any process of the service may return former content. */
  staleMs: number
}

export function createChangeHorizon({ pulse, staleMs }: ChangeHorizonOptions): ChangeHorizon {
  let horizon: number | undefined
  const listeners = new Set<(seq: number) => void>()
  const timers = new Set<NodeJS.Timeout>()
  let newest = Number.NEGATIVE_INFINITY

  function advanceLater({ changeSeq }: { changeSeq: number }): void {
    if (changeSeq <= newest) return
    newest = changeSeq
    const timer = setTimeout(() => {
      timers.delete(timer)
      horizon = changeSeq
      for (const listener of listeners) listener(changeSeq)
    }, staleMs)
    timers.add(timer.unref())
  }

  const heartbeat = pulse.current()
  if (heartbeat) advanceLater(heartbeat)
  const unsubscribe = pulse.onChange(advanceLater)
  return {
    current: () => horizon,
    onAdvance(listener) {
      listeners.add(listener)
    },
    close() {
      unsubscribe()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
