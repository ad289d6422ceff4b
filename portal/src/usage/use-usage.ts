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

/** The last calls with a key, or the one call of that request id. */
export function useLoggedRequests(filter: { keyId?: string; requestId?: string }) {
  const { calls } = useClient()
  return useQuery({
    queryKey: ['calls', filter],
    queryFn: () => calls(filter),
    refetchInterval: filter.requestId ? false : refreshMs,
  })
}
