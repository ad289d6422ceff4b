import type { Heartbeat, Pulse } from '../store/pulse.ts'

/**
 * The newest change that every process of the service returns the content of. A process may send a response from its cache for as long as
 * it trusts a heartbeat; a change that was read longer ago is in all responses. Only such changes are listed: a client that reads a
 * change and then the item never gets the former content.
 */
export interface ChangeHorizon {
  /** Undefined in the first moments of a process, and of a database server. */
  current(): number | undefined
  /** Increases whenever the horizon changes: a server that was promoted may have other changes up to the same number. */
  version(): number | undefined
  /** Changes up to this number are no longer stored. */
  floor(): number
  /** Calls `listener` when it advances, and when it has begun again. */
  onAdvance(listener: () => void): void
  /** Calls `listener` when another database server has taken over. */
  onRestart(listener: () => void): void
  close(): void
}

export interface ChangeHorizonOptions {
  pulse: Pick<Pulse, 'current' | 'onChange' | 'onServerChange'>
  /** How long any process of the service may return former content. */
  staleMs: number
}

export function createChangeHorizon({ pulse, staleMs }: ChangeHorizonOptions): ChangeHorizon {
  let horizon: number | undefined
  let version = 0
  const listeners = new Set<() => void>()
  const restartListeners = new Set<() => void>()
  const timers = new Set<NodeJS.Timeout>()
  let newest = Number.NEGATIVE_INFINITY
  let floor = 0

  function clear(): void {
    for (const timer of timers) clearTimeout(timer)
    timers.clear()
  }

  function restart(): void {
    clear()
    newest = Number.NEGATIVE_INFINITY
    for (const listener of restartListeners) listener()
    setTo(undefined)
  }

  function setTo(changeSeq: number | undefined): void {
    horizon = changeSeq
    version += 1
    for (const listener of listeners) listener()
  }

  function read({ changeSeq, changeFloor }: Pick<Heartbeat, 'changeSeq' | 'changeFloor'>): void {
    floor = changeFloor
    if (changeSeq <= newest) return
    newest = changeSeq
    const timer = setTimeout(() => {
      timers.delete(timer)
      setTo(changeSeq)
    }, staleMs)
    timers.add(timer.unref())
  }

  const heartbeat = pulse.current()
  if (heartbeat) read(heartbeat)
  const unsubscribes = [pulse.onChange(read), pulse.onServerChange(restart)]
  return {
    current: () => horizon,
    version: () => (horizon === undefined ? undefined : version),
    floor: () => floor,
    onAdvance(listener) {
      listeners.add(listener)
    },
    onRestart(listener) {
      restartListeners.add(listener)
    },
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
      clear()
    },
  }
}
