/**
 * Calls `stop` when one of the signals is aborted, until what it returns is called. A signal gets one listener: thousands of
 * attempts wait for the same, and an EventTarget walks through all its listeners for each that comes or goes.
 */
export type OnAbort = (signals: readonly AbortSignal[], stop: () => void) => () => void

export function createAbortFanOut(): OnAbort {
  const waiting = new WeakMap<AbortSignal, Set<() => void>>()
  return (signals, stop) => {
    for (const signal of signals) (waiting.get(signal) ?? listen(signal)).add(stop)
    return () => {
      for (const signal of signals) waiting.get(signal)?.delete(stop)
    }
  }

  function listen(signal: AbortSignal): Set<() => void> {
    const stops = new Set<() => void>()
    waiting.set(signal, stops)
    const stopAll = () => {
      for (const stop of stops) stop()
    }
    signal.addEventListener('abort', stopAll, { once: true })
    return stops
  }
}
