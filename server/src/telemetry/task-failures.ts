import type { Logger } from './log.ts'

/** Failures of background tasks, each logged as a state: one line when it begins, one when it is over. */
export interface TaskFailures {
  /** A function that takes the failures of one task. `everyMs`: how often the task runs at least. */
  of(task: string, everyMs?: number): (error: unknown) => void
  close(): void
}

export interface TaskFailuresOptions {
  log: Pick<Logger, 'info' | 'warn'>
  /** The kind of an error, for the log. */
  reasonOf: (error: unknown) => string
  /** Whether an error only says that the database is away. */
  isUnavailable: (error: unknown) => boolean
}

interface Failing {
  /** As the state was logged when it began. */
  first: { task: string; reason: string }
  failures: number
  over: NodeJS.Timeout
}

/** A task that has not failed for so long, and for two of its runs, works again. */
const quietMs = 60_000

/**
 * Tasks run again by themselves, some twice a second, and each would log each failure. A failure is logged when the state begins:
 * a task fails for this reason. While the database is away all tasks share one state, because they fail in many ways for one reason.
 */
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
