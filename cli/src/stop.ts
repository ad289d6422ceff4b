import { logStatus, type Terminal } from './terminal.ts'

/** A request to stop, by a person or a supervisor. */
export interface Stop {
  /** Aborted when the stop is requested. */
  signal: AbortSignal
  requested: Promise<void>
  /** Whether it came from a supervisor (SIGTERM), which waits for a drain. A person at a terminal does not. */
  allowsDrain(): boolean
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** npm repeats a signal of the terminal: signals within this time count as one. */
const repeatedSignalMs = 500
const interruptedStatus = 130

/** npm runs a command in a shell, which does not forward signals: the end of the parent is a stop. */
const parentCheckMs = 500

/** The first signal requests a stop, the second one ends the process at once. */
export function listenForStop(terminal: Terminal): Stop {
  const controller = new AbortController()
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  let firstAt: number | undefined
  let allowsDrain = false
  const stop = (signal?: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = performance.now()
      allowsDrain = signal === 'SIGTERM'
      logStatus(terminal, 'stopping (repeat to end at once)')
      controller.abort(new Error('stopped'))
      resolve()
    } else if (performance.now() - firstAt > repeatedSignalMs) {
      process.exit(interruptedStatus)
    }
  }
  for (const name of signals) process.on(name, stop)
  terminal.ignoresOutputErrors = true
  if (terminal.env.npm_lifecycle_event !== undefined) watchParent(stop)
  return { signal: controller.signal, requested, allowsDrain: () => allowsDrain }
}

function watchParent(onEnd: () => void): void {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    onEnd()
  }, parentCheckMs)
  watch.unref()
}
