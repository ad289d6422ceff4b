/** Runs `run` once at a time, for all who need its result. */
export function createSharedRun<T>(run: () => Promise<T>) {
  let running: Promise<T> | undefined
  let following: Promise<T> | undefined

  /** Joins the run in progress. */
  const join = (): Promise<T> => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }

  /** A run that starts after this call: the one in progress may have read too early. All callers of this moment share the next one. */
  const fresh = (): Promise<T> => {
    if (!running) return join()
    following ??= running
      .catch(() => undefined)
      .then(() => {
        following = undefined
        return join()
      })
    return following
  }

  return {
    join,
    fresh,
    /** Resolves when no run is in progress. */
    finished: () => running?.then(ignore, ignore),
  }
}

const ignore = () => undefined
