import { isDeepStrictEqual } from 'node:util'

const attemptsMax = 8

/**
 * Reads a thing, then others that should agree with it, then the thing again, until it did not change in between:
 * a world that goes on must not make an answer look wrong.
 */
export async function whileSteady<T, O>(
  read: () => Promise<T>,
  readOthers: () => Promise<O>,
): Promise<{ thing: T; others: O }> {
  for (let attempt = 1; ; attempt += 1) {
    const thing = await read()
    const others = await readOthers()
    if (isDeepStrictEqual(await read(), thing)) return { thing, others }
    if (attempt === attemptsMax) throw new Error(`the world changed during each of ${attemptsMax} readings`)
  }
}
