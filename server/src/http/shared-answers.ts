import { LRUCache } from 'lru-cache'
import { createAskedBefore } from './asked-before.ts'
import { inOwnMemory } from './own-memory.ts'
import { createSharedBody, type SharedBody } from './respond.ts'

/** A question as it was written, and the name of what is asked: the same for all ways to write it. */
export interface Question {
  target: string
  name: string
}

/** Remembers the answers that are the same for everybody, as long as the world is. */
export interface SharedAnswers {
  /** The answer to what was asked in these words before; undefined where the world has changed since, or nobody knows. */
  find(target: string, worldVersion: number | undefined): SharedBody | undefined
  /** The answer that is remembered or being made, else a new one. Without a version of the world nothing is remembered. */
  share(
    question: Question,
    worldVersion: number | undefined,
    make: () => Promise<string>,
  ): Promise<SharedBody>
}

interface Remembered {
  body: SharedBody
  /** Whether anybody was answered with it after the first. */
  isUsed: boolean
}

/** How much is remembered of the words in which was asked, in characters. */
const targetsMax = 2_097_152

/**
 * One answer to one question, however it is written: a parameter that nobody knows, or another order, makes none anew. The words are
 * remembered apart from the answers, so that who thinks up new ones only makes others' be read again.
 *
 * Remembered is what is asked for a second time in one version of the world, or was in the version before: whoever walks through
 * everything once neither displaces what many read, nor is paid for by carrying answers along that nobody asks for again, which
 * takes the collector of garbage as long as reading them takes the driver. With a version its answers go.
 */
export function createSharedAnswers(bytesMax = 24 * 1_048_576): SharedAnswers {
  const answers = new LRUCache<string, Remembered>({
    maxSize: bytesMax,
    // A compressed copy may join the body; the rest is the entry itself.
    sizeCalculation: ({ body }, name) => Math.ceil(body.bytes.length * 1.5) + name.length + 200,
  })
  const names = new LRUCache<string, string>({
    maxSize: targetsMax,
    sizeCalculation: (name, target) => name.length + target.length + 100,
  })
  const wasAskedBefore = createAskedBefore()
  const underWay = new Map<string, Promise<SharedBody>>()
  let version = Number.NEGATIVE_INFINITY
  let usedInLast: ReadonlySet<string> = new Set()

  function turnTo(worldVersion: number): void {
    if (worldVersion <= version) return
    version = worldVersion
    usedInLast = new Set([...answers].flatMap(([name, { isUsed }]) => (isUsed ? [name] : [])))
    answers.clear()
  }

  function known(name: string, worldVersion: number | undefined): SharedBody | undefined {
    if (worldVersion !== version) return undefined
    const remembered = answers.get(name)
    if (remembered) remembered.isUsed = true
    return remembered?.body
  }

  /** Whether the answer is worth its memory. */
  const isWanted = (name: string, worldVersion: number): boolean =>
    worldVersion === version && (wasAskedBefore(name, worldVersion) || usedInLast.has(name))

  return {
    find(target, worldVersion) {
      const name = names.get(target)
      return name === undefined ? undefined : known(name, worldVersion)
    },

    async share({ target, name }, worldVersion, make) {
      if (worldVersion === undefined) return createSharedBody(await make())
      turnTo(worldVersion)
      const body = known(name, worldVersion)
      if (body) {
        names.set(target, name)
        return body
      }
      const versioned = `${worldVersion} ${name}`
      const running = underWay.get(versioned)
      if (running) return running
      const isRemembered = isWanted(name, worldVersion)
      const started = make()
        .then(json => {
          const made = createSharedBody(json)
          if (isRemembered && worldVersion === version) {
            made.bytes = inOwnMemory(made.bytes)
            answers.set(name, { body: made, isUsed: false })
            names.set(target, name)
          }
          return made
        })
        .finally(() => underWay.delete(versioned))
      underWay.set(versioned, started)
      return started
    },
  }
}
