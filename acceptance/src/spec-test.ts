import { test } from 'node:test'

/** The server, its world or our credentials lack what a test needs. */
export class SkipError extends Error {}

export function skip(reason: string): never {
  throw new SkipError(reason)
}

export function orSkip<T>(value: T | null | undefined, reason: string): T {
  return value ?? skip(reason)
}

/** A sentence of the specification as a test. Skipped, with the reason, where something is lacking. */
export function specTest(sentence: string, check: () => void | Promise<void>): void {
  test(sentence, async context => {
    try {
      await check()
    } catch (err) {
      if (!(err instanceof SkipError)) throw err
      context.skip(err.message)
    }
  })
}
