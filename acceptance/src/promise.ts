import { test } from 'node:test'

/** The server, its world or our way in lacks what a sentence is about: nothing can be said of it. */
export class Lacking extends Error {}

export function lacking(reason: string): never {
  throw new Lacking(reason)
}

export function need<T>(value: T | null | undefined, reason: string): T {
  return value ?? lacking(reason)
}

/** A sentence of the specification as a test. Skipped, with the reason, where something is lacking. */
export function promise(sentence: string, check: () => void | Promise<void>): void {
  test(sentence, async context => {
    try {
      await check()
    } catch (err) {
      if (!(err instanceof Lacking)) throw err
      context.skip(err.message)
    }
  })
}
