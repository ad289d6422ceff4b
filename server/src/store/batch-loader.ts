/**
 * Answers questions together: while one asking is under way, all that come wait and go in the next. So however many ask, one
 * connection of the database is busy with it, and nobody waits longer than for two askings.
 *
 * `ask` takes names that differ, at most `togetherMax`, and answers what it finds by name. Where it rejects, all who wait are told:
 * the next asking would meet the same database.
 */
export function createBatchLoader<T>(
  ask: (names: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  togetherMax = 1_000,
): (name: string) => Promise<T | undefined> {
  interface Waiting {
    answer: Promise<T | undefined>
    resolve(found: T | undefined): void
    reject(error: unknown): void
  }
  let waiting = new Map<string, Waiting>()
  let isAsking = false

  async function askOnce(): Promise<void> {
    const now = [...waiting].slice(0, togetherMax)
    for (const [name] of now) waiting.delete(name)
    try {
      const found = await ask(now.map(([name]) => name))
      for (const [name, { resolve }] of now) resolve(found.get(name))
    } catch (error) {
      for (const [, { reject }] of [...now, ...waiting]) reject(error)
      waiting = new Map()
    }
  }

  async function askAll(): Promise<void> {
    isAsking = true
    while (waiting.size > 0) await askOnce()
    isAsking = false
  }

  return name => {
    const known = waiting.get(name)
    if (known) return known.answer
    const { promise: answer, resolve, reject } = Promise.withResolvers<T | undefined>()
    waiting.set(name, { answer, resolve, reject })
    if (!isAsking) void askAll()
    return answer
  }
}
