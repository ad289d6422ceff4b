import type { Logger } from './log.ts'

/**
 * Failures of background tasks, logged as states: one line when a task begins to fail, one when it has recovered. Tasks retry by
 * themselves, some twice a second. While the database is unavailable all tasks share one state.
 */
export interface TaskFailures {
  /** Returns the error handler of one task that runs at least once in `everyMs`. */
  of(task: string, everyMs?: number): (error: unknown) => void
  close(): void
}

export interface TaskFailuresOptions {
  log: Pick<Logger, 'info' | 'warn'>
  /** The kind of an error, for the log. */
  reasonOf: (error: unknown) => string
  /** Whether an error means that the database is unavailable. */
  isUnavailable: (error: unknown) => boolean
}

interface Failing {
  /** The fields of the first line. */
  first: { task: string; reason: string }
  failures: number
  over: NodeJS.Timeout
}

/** A task has recovered if it has not failed for this time and for two of its runs. */
const quietMs = 60_000

export function createTaskFailures({ log, reasonOf, isUnavailable }: TaskFailuresOptions): TaskFailures {
  const failing = new Map<string, Failing>()

  function fail(task: string, everyMs: number, error: unknown): void {
    const reason = reasonOf(error)
    const state = isUnavailable(error) ? 'unavailable' : `${task} ${reason}`
    const known = failing.get(state)
    if (known) clearTimeout(known.over)
    else log.warn({ task, reason }, 'a background task failed')
    const [first, failures] = [known?.first ?? { task, reason }, (known?.failures ?? 0) + 1]
    const over = setTimeout(
      () => {
        failing.delete(state)
        const { task, reason } = first
        log.info({ task, reason, failures }, 'background task recovered')
      },
      Math.max(quietMs, 2 * everyMs),
    ).unref()
    failing.set(state, { first, failures, over })
  }

  return {
    of:
      (task, everyMs = 0) =>
      error =>
        fail(task, everyMs, error),
    close() {
      for (const { over } of failing.values()) clearTimeout(over)
      failing.clear()
    },
  }
}
