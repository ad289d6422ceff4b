import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, isRateLimited, isSignedOut } from './api-error.ts'

/** A request is not retried after a longer wait than this; its error is shown. */
const waitSecondsMax = 15
const defaultWaitSeconds = 2

const waitSecondsOf = (error: unknown) =>
  (error instanceof ApiError ? error.retryAfterSeconds : null) ?? defaultWaitSeconds

/** A rate-limited request had no effect, so mutations are retried too. */
const isRetryableLimit = (failures: number, error: unknown) =>
  failures < 3 && isRateLimited(error) && waitSecondsOf(error) <= waitSecondsMax

/** No connection, or a server that is being restarted. */
const isTransient = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status >= 502)

const retryDelayMs = (failures: number, error: unknown) =>
  isRateLimited(error) ? waitSecondsOf(error) * 1000 : 500 * 2 ** failures

/** Calls `onSignedOut` when any request is rejected because no session is active. */
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
