import { say, type Terminal } from './terminal.ts'

/** A person or a supervisor asks for the end. */
export interface Stop {
  /** Aborted when it is asked for. */
  signal: AbortSignal
  requested: Promise<void>
  /** Whether a supervisor asked, who waits while the process takes its leave. A person at a terminal does not. */
  hasTime(): boolean
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** npm sends on what the terminal has sent already: signals of one moment are one. */
const onePressMs = 500
const interruptedStatus = 130

/** npm runs a command through a shell, which a signal to npm ends without passing it on. */
const parentCheckMs = 500

/** From now on the first signal asks for the end and the second one ends the process at once. */
export function listenForStop(terminal: Terminal): Stop {
  const controller = new AbortController()
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  let firstAt: number | undefined
  let hasTime = false
  const stop = (signal?: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = performance.now()
      hasTime = signal === 'SIGTERM'
      say(terminal, 'stopping (once more ends at once)')
      controller.abort(new Error('stopped'))
      resolve()
    } else if (performance.now() - firstAt > onePressMs) {
      process.exit(interruptedStatus)
    }
  }
  for (const name of signals) process.on(name, stop)
  terminal.ignoresOutputErrors = true
  if (terminal.env.npm_lifecycle_event !== undefined) watchParent(stop)
  return { signal: controller.signal, requested, hasTime: () => hasTime }
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
