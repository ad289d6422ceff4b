import type { CallOptions, Page } from './call-options.ts'
import { invalidResponse } from './errors.ts'
import { limits } from './limits.ts'
import type { CachePolicy, Read } from './reader.ts'

/** The requests that the methods of operations send. The template of a path has the names of `ids` in braces. */
export interface Calls {
  /** One item. */
  item<T>(template: string, policy: CachePolicy, options?: CallOptions, ids?: Ids): Promise<T>
  /** A page of items. */
  page<T>(template: string, policy: CachePolicy, options?: CallOptions, ids?: Ids): Promise<Page<T>>
  /** The items of all pages. */
  items<T>(template: string, policy: CachePolicy, options?: CallOptions, ids?: Ids): AsyncIterableIterator<T>
}

type Ids = Readonly<Record<string, string>>

/** Encodes text as one segment of a path. URL parsers remove dot segments and the segment before; no id has a space, so the request fails with 404. */
const segment = (text: string) => encodeURIComponent(/^\.{1,2}$/.test(text) ? `${text} ` : text)

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
  async function request(template: string, policy: CachePolicy, options: CallOptions = {}, ids: Ids = {}) {
    const { signal, timeoutMs, ...parameters } = options
    const path = template.replace(/\{(\w+)\}/g, (_, name) => segment(String(ids[name])))
    // Private sections are for the key's owner, so the response must not be cached.
    const requiresSections = 'include' in parameters && policy === 'public'
    const text = await read(urlOf(path, parameters), requiresSections ? 'private' : policy, {
      signal,
      timeoutMs,
      template,
    })
    // Each caller gets its own object.
    return JSON.parse(text)
  }

  const page: Calls['page'] = async (template, policy, options, ids) => {
    const whole = await request(template, policy, options, ids)
    if (Array.isArray(whole.data) && typeof whole.pagination?.pages === 'number') return whole
    throw invalidResponse(`The response of ${template} is not a list.`)
  }

  return {
    item: async (...call) => (await request(...call)).data,
    page,
    async *items<T>(
      template: string,
      policy: CachePolicy,
      options: CallOptions & { page?: number } = {},
      ids?: Ids,
    ) {
      for (let number = options.page ?? 1; ; number += 1) {
        const whole = { limit: limits.pageSizeMax, ...options, page: number }
        const { data, pagination } = await page<T>(template, policy, whole, ids)
        yield* data
        if (number >= pagination.pages) return
      }
    },
  }
}
