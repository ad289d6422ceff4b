import type { CallOptions, Page } from './call-options.ts'
import { ChanceryError } from './errors.ts'
import { limits } from './limits.ts'
import type { CachePolicy, Read } from './reader.ts'

/** What the methods of operations are made of. */
export interface Calls {
  /** A thing. */
  one<T>(path: string, keeping: CachePolicy, options?: CallOptions): Promise<T>
  /** A page of things. */
  page<T>(path: string, keeping: CachePolicy, options?: CallOptions): Promise<Page<T>>
  /** Things, from page to page. */
  pages<T>(path: string, keeping: CachePolicy, options?: CallOptions): AsyncIterableIterator<T>
  /** A text as one segment of a path. */
  segment(text: string): string
}

/** A path with its parameters, the same for equal ones in whatever order. Lists are comma separated; an empty list of ids selects nothing. */
export function addressOf(path: string, parameters: object): string {
  for (const [name, value] of Object.entries(parameters))
    if (Array.isArray(value) && value.length === 0 && name !== 'ids')
      throw new TypeError(
        `${name} is an empty list, and would ask for everything. Leave it out if you mean that.`,
      )
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .sort()
  return query.length > 0 ? `${path}?${query.join('&')}` : path
}

export function createCalls(read: Read): Calls {
  async function ask(path: string, keeping: CachePolicy, options: CallOptions = {}) {
    const { signal, timeoutMs, ...parameters } = options
    // Demanded sections are for the key's owner, whatever else the operation answers.
    const isDemanding = 'include' in parameters && keeping === 'public'
    const text = await read(addressOf(path, parameters), isDemanding ? 'private' : keeping, {
      signal,
      timeoutMs,
    })
    // Each caller gets a body of their own: nobody changes what another one reads.
    return JSON.parse(text)
  }

  const page: Calls['page'] = async (path, keeping, options) => {
    const whole = await ask(path, keeping, options)
    if (Array.isArray(whole.data) && typeof whole.pagination?.pages === 'number') return whole
    throw new ChanceryError(`${path} was not answered with a list.`, {
      code: 'unexpected_answer',
      status: 200,
    })
  }

  return {
    one: async (path, keeping, options) => (await ask(path, keeping, options)).data,
    page,
    async *pages<T>(path: string, keeping: CachePolicy, options: CallOptions & { page?: number } = {}) {
      for (let number = options.page ?? 1; ; number += 1) {
        const whole = { limit: limits.pageSizeMax, ...options, page: number }
        const { data, pagination } = await page<T>(path, keeping, whole)
        yield* data
        if (number >= pagination.pages) return
      }
    },
    segment(text) {
      // A segment of dots would be taken out of the path, with the one before it. No id has a space: it is not found.
      return encodeURIComponent(/^\.{1,2}$/.test(text) ? `${text} ` : text)
    },
  }
}
