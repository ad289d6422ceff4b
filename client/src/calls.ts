import type { CallOptions, Page } from './call-options.ts'
import { invalidResponse } from './errors.ts'
import { limits } from './limits.ts'
import type { CachePolicy, Read } from './reader.ts'

/** The requests that the methods of operations send. */
export interface Calls {
  /** One item. */
  item<T>(path: string, policy: CachePolicy, options?: CallOptions): Promise<T>
  /** A page of items. */
  page<T>(path: string, policy: CachePolicy, options?: CallOptions): Promise<Page<T>>
  /** The items of all pages. */
  items<T>(path: string, policy: CachePolicy, options?: CallOptions): AsyncIterableIterator<T>
  /** Encodes text as one segment of a path. */
  segment(text: string): string
}

/** A path with sorted parameters. Lists are comma-separated; an empty list of ids selects nothing. */
export function urlOf(path: string, parameters: object): string {
  for (const [name, value] of Object.entries(parameters))
    if (Array.isArray(value) && value.length === 0 && name !== 'ids')
      throw new TypeError(`${name} is an empty list, which would select everything. Omit it to do that.`)
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .sort()
  return query.length > 0 ? `${path}?${query.join('&')}` : path
}

export function createCalls(read: Read): Calls {
  async function request(path: string, policy: CachePolicy, options: CallOptions = {}) {
    const { signal, timeoutMs, ...parameters } = options
    // Private sections are for the key's owner, so the response must not be cached.
    const requiresSections = 'include' in parameters && policy === 'public'
    const text = await read(urlOf(path, parameters), requiresSections ? 'private' : policy, {
      signal,
      timeoutMs,
    })
    // Each caller gets its own object.
    return JSON.parse(text)
  }

  const page: Calls['page'] = async (path, policy, options) => {
    const whole = await request(path, policy, options)
    if (Array.isArray(whole.data) && typeof whole.pagination?.pages === 'number') return whole
    throw invalidResponse(`The response of ${path} is not a list.`)
  }

  return {
    item: async (path, policy, options) => (await request(path, policy, options)).data,
    page,
    async *items<T>(path: string, policy: CachePolicy, options: CallOptions & { page?: number } = {}) {
      for (let number = options.page ?? 1; ; number += 1) {
        const whole = { limit: limits.pageSizeMax, ...options, page: number }
        const { data, pagination } = await page<T>(path, policy, whole)
        yield* data
        if (number >= pagination.pages) return
      }
    },
    segment(text) {
      // URL parsers remove dot segments and the segment before. No id has a space, so the request fails with 404.
      return encodeURIComponent(/^\.{1,2}$/.test(text) ? `${text} ` : text)
    },
  }
}
