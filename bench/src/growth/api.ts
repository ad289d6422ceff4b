/** The public API on one connection, one request at a time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { bases, limits } from '@chancery/contract'
import { request } from 'undici'

export interface Page<T> {
  data: T[]
  pagination: { total: number; pages: number }
}

export interface Api {
  /** Milliseconds to the last byte, and the total of a list. Rejects unless the status is 200. */
  time(path: string): Promise<{ ms: number; total: number | undefined }>
  /** The parsed body. */
  read<T>(path: string): Promise<T>
  /** Items of `pages` pages of a hundred, spread over the whole list. */
  sample<T>(list: string, pages: number): Promise<T[]>
}

const retriesMax = 5

export function connectApi(url: string): Api {
  /** Retries a 503 as a caller would; the wait counts. */
  async function bodyOf(path: string, retriesLeft = retriesMax): Promise<string> {
    const { statusCode, body } = await request(url + bases.canonical + path)
    const text = await body.text()
    if (statusCode === 200) return text
    if (statusCode !== 503 || retriesLeft === 0) throw new Error(`${path}: ${statusCode} ${text}`)
    await sleep(limits.retryAfterUnavailableSeconds * 1_000)
    return bodyOf(path, retriesLeft - 1)
  }
  async function read<T>(path: string): Promise<T> {
    return JSON.parse(await bodyOf(path)) as T
  }
  return {
    read,
    async time(path) {
      const startedMs = performance.now()
      const text = await bodyOf(path)
      const ms = performance.now() - startedMs
      return { ms, total: (JSON.parse(text) as { pagination?: { total: number } }).pagination?.total }
    },
    async sample<T>(list: string, wanted: number) {
      const { pages } = (await read<Page<T>>(`${list}?limit=100`)).pagination
      const items: T[] = []
      for (let number = 0; number < Math.min(pages, wanted); number += 1) {
        const page = 1 + Math.floor((pages * number) / Math.min(pages, wanted))
        items.push(...(await read<Page<T>>(`${list}?limit=100&page=${page}`)).data)
      }
      return items
    },
  }
}
