import {
  type QueryKey,
  type UseQueryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { Request } from './request.ts'
import type { ServerClock } from './server-clock.ts'

export interface Api {
  request: Request
  clock: ServerClock
}

export const ApiContext = createContext<Api | null>(null)

function useApi(): Api {
  const api = useContext(ApiContext)
  if (!api) throw new Error('useApi requires an ApiContext')
  return api
}

export const useRequest = () => useApi().request
export const useClock = () => useApi().clock

/** A query of the account API. */
export function useApiQuery<Result>(
  queryKey: QueryKey,
  read: (request: Request) => Promise<Result>,
  options: Omit<UseQueryOptions<Result>, 'queryKey' | 'queryFn'> = {},
) {
  const request = useRequest()
  return useQuery({ queryKey, queryFn: () => read(request), ...options })
}

/** A mutation that invalidates the queries of the given names when it succeeds. */
export function useApiMutation<Variables, Result>(
  send: (request: Request, variables: Variables) => Promise<Result>,
  invalidates: string[],
  onSuccess?: (result: Result) => void,
) {
  const request = useRequest()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (variables: Variables) => send(request, variables),
    onSuccess: result => {
      onSuccess?.(result)
      // Not awaited: the result, such as a key that is shown once, is shown before the lists are reloaded.
      for (const name of invalidates) void queryClient.invalidateQueries({ queryKey: [name] })
    },
  })
}
