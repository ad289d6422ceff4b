import { useQuery } from '@tanstack/react-query'
import { useRequest } from '../api/context.ts'

const refreshMs = 15_000

export function useKeyUsage(keyId: string) {
  const request = useRequest()
  return useQuery({
    queryKey: ['usage', keyId],
    queryFn: () => request('GET /keys/{id}/usage', { id: keyId }),
    refetchInterval: refreshMs,
  })
}

/** The latest requests with a key, or the one with a request ID. */
export function useLoggedRequests(filter: { key_id: string } | { request_id: string }) {
  const request = useRequest()
  return useQuery({
    queryKey: ['calls', filter],
    queryFn: () => request('GET /calls', { query: filter }),
    refetchInterval: 'request_id' in filter ? false : refreshMs,
  })
}
