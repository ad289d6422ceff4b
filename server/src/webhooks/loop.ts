/** Work that goes on in the background. */
export interface Loop {
  /** Runs the work soon: at once, or right after the run that is going on. */
  wake(): void
  /** Resolves when the run that is going on has ended; none follows. */
  close(): Promise<void>
}

/**
 * Runs `work` one at a time: when woken, and at least every `everyMs`. While it answers true there is more to do, and it
 * runs again at once. After a failure it waits for its time.
 */
export function startLoop(
  work: () => Promise<boolean>,
  { everyMs, onError }: { everyMs: number; onError: (error: unknown) => void },
): Loop {
  let isAwake = true
  let isClosed = false
  let rouse: () => void = () => undefined

  const rest = () =>
    new Promise<void>(resolve => {
      const timer = setTimeout(resolve, everyMs)
      rouse = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  async function run(): Promise<void> {
    while (!isClosed) {
      isAwake = false
      try {
        isAwake = (await work()) || isAwake
      } catch (error) {
        isAwake = false
        onError(error)
      }
      if (!isAwake && !isClosed) await rest()
    }
  }
  const running = run()

  return {
    wake() {
      isAwake = true
      rouse()
    },
    close() {
      isClosed = true
      rouse()
      return running
    },
  }
}
