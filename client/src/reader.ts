import type { Cache } from './cache.ts'
import type { CallOptions } from './call-options.ts'
import { invalidResponse } from './errors.ts'
import type { Hooks } from './hooks.ts'
import type { SingleFlight } from './single-flight.ts'
import type { Request, Transport } from './transport.ts'

/**
 * The contract's cache policies, and one for requests with side effects.
 * - `public`: cached for a minute, then revalidated. `revalidate`: revalidated each time.
 * - `private`: never cached. `non-idempotent`: never cached, and neither shared nor retried.
 */
export type CachePolicy = 'public' | 'revalidate' | 'private' | 'non-idempotent'

/** Reads the text of a response body, from the cache if possible. `path` includes the query. */
export type Read = (
  path: string,
  policy: CachePolicy,
  options: CallOptions & { template: string },
) => Promise<string>

export function createReader({
  transport,
  cache,
  singleFlight,
  hooks,
}: {
  transport: Transport
  cache: Cache
  singleFlight: SingleFlight
  hooks: Hooks
}): Read {
  async function revalidate(path: string, policy: CachePolicy, how: Omit<Request, 'path'>) {
    const cached = cache.get(path)
    const started = cache.begin()
    const headers: Record<string, string> = cached?.etag ? { 'if-none-match': cached.etag } : {}
    const res = await transport.call({ ...how, path, headers })
    const { text, etag } = res.body ? { text: res.text, etag: res.headers.get('etag') } : (cached ?? {})
    if (text === undefined) throw invalidResponse('The response was 304 without a conditional request.', 304)
    const isStorable = !/no-store/i.test(res.headers.get('cache-control') ?? '')
    if (isStorable) {
      const body = res.body ?? JSON.parse(text)
      const stored = { text, etag: etag ?? null, path: path.split('?')[0] ?? path, body }
      cache.put(path, stored, started, policy === 'public' ? undefined : 0)
    }
    return text
  }

  return async (path, policy, { signal, timeoutMs, template }) => {
    signal?.throwIfAborted()
    const how = { timeoutMs, template }
    if (policy === 'non-idempotent')
      return (await transport.call({ ...how, path, signal, isNonIdempotent: true })).text
    const key = `${timeoutMs ?? ''} ${path}`
    if (policy === 'private')
      return singleFlight.join(
        key,
        signal,
        async shared => (await transport.call({ ...how, path, signal: shared })).text,
      )
    const cached = cache.get(path)
    if (cached && cache.isFresh(cached)) {
      hooks.onCacheHit(template)
      return cached.text
    }
    return singleFlight.join(key, signal, shared => revalidate(path, policy, { ...how, signal: shared }))
  }
}
