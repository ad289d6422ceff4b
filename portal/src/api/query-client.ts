import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, isLimited, isSignedOut } from './errors.ts'

/** Longer waits than this are told instead of waited for. */
const waitSecondsMax = 15
const defaultWaitSeconds = 2

const retryAfterSeconds = (error: unknown) =>
  (error instanceof ApiError ? error.retryAfterSeconds : null) ?? defaultWaitSeconds

/** A 429 has done nothing, so that also a change may be sent again once the wait is over. */
const isRetryableLimit = (failures: number, error: unknown) =>
  failures < 3 && isLimited(error) && retryAfterSeconds(error) <= waitSecondsMax

/** What the server cannot be blamed for: the connection, or a process that is being replaced. */
const isTransient = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status >= 502)

const retryDelayMs = (failures: number, error: unknown) =>
  isLimited(error) ? retryAfterSeconds(error) * 1000 : 500 * 2 ** failures

/** Any answer that says nobody is signed in leads out, wherever it was asked. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOut(error)) onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        networkMode: 'always',
        retry: (failures, error) => isRetryableLimit(failures, error) || (failures < 2 && isTransient(error)),
        retryDelay: retryDelayMs,
      },
      mutations: { networkMode: 'always', retry: isRetryableLimit, retryDelay: retryDelayMs },
    },
  })
}
