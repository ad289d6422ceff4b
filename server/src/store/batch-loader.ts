/**
 * Batch loader (DataLoader): while one batch is loading, all further keys wait and are loaded in the next. So any number of callers uses
 * one database connection, and while at most `maxBatchSize` keys wait, none waits longer than for two batches.
 *
 * `loadMany` gets distinct keys, at most `maxBatchSize`, and returns the items that it finds. If it rejects, all waiting keys are rejected:
 * the next batch would meet the same database.
 */
export function createBatchLoader<T>(
  loadMany: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  maxBatchSize = 1_000,
): (key: string) => Promise<T | undefined> {
  let queue = new Map<string, PromiseWithResolvers<T | undefined>>()
  let isLoading = false

  async function loadBatch(): Promise<void> {
    const waiting = [...queue]
    const batch = waiting.slice(0, maxBatchSize)
    // Another Map, instead of deleting from this one: until V8 collects its old generation, the former tables of a Map that lives long
    // keep alive what was in them, here all loaded items.
    queue = new Map(waiting.slice(maxBatchSize))
    try {
      const found = await loadMany(batch.map(([key]) => key))
      for (const [key, { resolve }] of batch) resolve(found.get(key))
    } catch (error) {
      for (const [, { reject }] of [...batch, ...queue]) reject(error)
      queue = new Map()
    }
  }

  async function loadAll(): Promise<void> {
    isLoading = true
    while (queue.size > 0) await loadBatch()
    isLoading = false
  }

  return key => {
    const queued = queue.get(key)
    if (queued) return queued.promise
    const waiting = Promise.withResolvers<T | undefined>()
    queue.set(key, waiting)
    if (!isLoading) void loadAll()
    return waiting.promise
  }
}
