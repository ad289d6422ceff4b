import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/context.ts'

const refreshMs = 15_000

export function useKeyUsage(keyId: string) {
  const { keys } = useClient()
  return useQuery({
    queryKey: ['usage', keyId],
    queryFn: () => keys.usage(keyId),
    refetchInterval: refreshMs,
  })
}

/** The latest requests with a key, or the one with a request ID. */
export function useLoggedRequests(filter: { keyId?: string; requestId?: string }) {
  const { calls } = useClient()
  return useQuery({
    queryKey: ['calls', filter],
    queryFn: () => calls(filter),
    refetchInterval: filter.requestId ? false : refreshMs,
  })
}
