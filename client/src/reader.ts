import type { Cache } from './cache.ts'
import type { CallOptions } from './call-options.ts'
import { ChanceryError } from './errors.ts'
import type { Flights } from './flights.ts'
import type { Transport } from './transport.ts'

/**
 * How an answer may be kept, in the contract's words.
 * - `public`: for a minute, then revalidated. `revalidate`: revalidated each time.
 * - `private`: never. `once`: never, and the call belongs to whoever makes it.
 */
export type CachePolicy = 'public' | 'revalidate' | 'private' | 'once'

/** Reads the text of a body, from the cache where it may be. `address` is the path with its query. */
export type Read = (address: string, keeping: CachePolicy, options: CallOptions) => Promise<string>

export function createReader({
  transport,
  cache,
  flights,
}: {
  transport: Transport
  cache: Cache
  flights: Flights
}): Read {
  async function revalidate(
    path: string,
    keeping: CachePolicy,
    timeoutMs: number | undefined,
    signal: AbortSignal,
  ) {
    const known = cache.get(path)
    const started = cache.begin()
    const headers: Record<string, string> = known?.tag ? { 'if-none-match': known.tag } : {}
    const answer = await transport.call({ path, headers, timeoutMs, signal })
    const { text, tag } = answer.body ? { text: answer.text, tag: answer.headers.get('etag') } : (known ?? {})
    if (text === undefined)
      throw new ChanceryError('The answer was 304, which nobody asked for.', {
        code: 'unexpected_answer',
        status: 304,
      })
    const isKept = !/no-store/i.test(answer.headers.get('cache-control') ?? '')
    if (isKept) {
      const body = answer.body ?? JSON.parse(text)
      const kept = { text, tag: tag ?? null, path: path.split('?')[0] ?? path, body }
      cache.put(path, kept, started, keeping === 'public' ? undefined : 0)
    }
    return text
  }

  return async (path, keeping, { signal, timeoutMs }) => {
    signal?.throwIfAborted()
    if (keeping === 'once') return (await transport.call({ path, timeoutMs, signal, isOnce: true })).text
    const flightOf = `${timeoutMs ?? ''} ${path}`
    if (keeping === 'private')
      return flights.join(
        flightOf,
        signal,
        async shared => (await transport.call({ path, timeoutMs, signal: shared })).text,
      )
    const known = cache.get(path)
    if (known && cache.isFresh(known)) return known.text
    return flights.join(flightOf, signal, shared => revalidate(path, keeping, timeoutMs, shared))
  }
}
