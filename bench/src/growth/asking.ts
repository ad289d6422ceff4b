import { bases, limits } from '@chancery/contract'
import { Client } from 'undici'

/** What an answer took, and how many things there are. */
export interface Answered {
  ms: number
  total: number | undefined
}

/** One connection on which one question waits for the answer to the one before. */
export interface Asker {
  /** Asks for a path below the base, and measures from the question to the last byte. Rejects where the answer is not 200. */
  ask(path: string): Promise<Answered>
  /** The parsed body. */
  read<T>(path: string): Promise<T>
  close(): Promise<void>
}

export function connectAsker(url: string): Asker {
  const client = new Client(url, { bodyTimeout: 60_000, headersTimeout: 60_000 })

  async function bodyOf(path: string, triesLeft = 5): Promise<string> {
    const { statusCode, body } = await client.request({ method: 'GET', path: bases.canonical + path })
    const text = await body.text()
    // Comes again as a caller would; the time counts.
    if (statusCode === 503 && triesLeft > 0) {
      await new Promise(resolve => setTimeout(resolve, limits.retryAfterUnavailableSeconds * 1_000))
      return bodyOf(path, triesLeft - 1)
    }
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode} ${text}`)
    return text
  }

  return {
    async ask(path) {
      const startedMs = performance.now()
      const text = await bodyOf(path)
      const ms = performance.now() - startedMs
      const { pagination } = JSON.parse(text) as { pagination?: { total: number } }
      return { ms, total: pagination?.total }
    },
    async read(path) {
      return JSON.parse(await bodyOf(path)) as never
    },
    close: () => client.close(),
  }
}

/** What some questions of a kind took, in milliseconds. */
export interface Timing {
  samples: number
  p50: number
  /** The slowest, where there are fewer than a hundred. */
  p99: number
}

export function timingOf(measured: number[]): Timing {
  const sorted = measured.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { samples: sorted.length, p50: at(0.5), p99: at(0.99) }
}
