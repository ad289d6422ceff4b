import { useApiQuery } from '../api/context.ts'

const refetchInterval = 15_000

export const useKeyUsage = (keyId: string) =>
  useApiQuery(['usage', keyId], request => request('GET /keys/{id}/usage', { id: keyId }), {
    refetchInterval,
  })

/** The latest requests with a key, or the one with a request ID. */
export const useLoggedRequests = (filter: { key_id: string } | { request_id: string }) =>
  useApiQuery(['calls', filter], request => request('GET /calls', { query: filter }), {
    refetchInterval: 'request_id' in filter ? false : refetchInterval,
  })
