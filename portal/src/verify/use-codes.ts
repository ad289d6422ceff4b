import type { IssuedAccountCode, NewCode } from '@chancery/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useApiMutation, useRequest } from '../api/context.ts'

/** Polling interval while a code is active. A hidden page does not poll. */
const pollMs = 500

export function useCodes() {
  const request = useRequest()
  return useQuery({
    queryKey: ['codes'],
    queryFn: () => request('GET /codes'),
    refetchInterval: ({ state }) => (state.data && state.data.live.length > 0 ? pollMs : false),
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: 'always',
  })
}

/** The code on display. It stays while the browser tab is open, also on other pages of the settings. */
const displayedCodeKey = ['code-shown']

export function useDisplayedCode() {
  const { data } = useQuery<IssuedAccountCode | null>({
    queryKey: displayedCodeKey,
    queryFn: () => null,
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return data
}

export function useSetDisplayedCode() {
  const queryClient = useQueryClient()
  return (code: IssuedAccountCode | null) => queryClient.setQueryData(displayedCodeKey, code)
}

export function useCreateCode() {
  const request = useRequest()
  const setDisplayed = useSetDisplayedCode()
  return useApiMutation((body: NewCode) => request('POST /codes', { body }), ['codes'], setDisplayed)
}

export function useCancelCode() {
  const request = useRequest()
  return useApiMutation((id: string) => request('DELETE /codes/{id}', { id }), ['codes'])
}
