import type { IssuedAccountCode, NewCode } from '@chancery/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useApiMutation, useApiQuery } from '../api/context.ts'

/** Polling interval while a code is active. A hidden page does not poll. */
const pollMs = 500

export const useCodes = () =>
  useApiQuery(['codes'], request => request('GET /codes'), {
    refetchInterval: ({ state }) => (state.data && state.data.live.length > 0 ? pollMs : false),
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: 'always',
  })

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
  const setDisplayed = useSetDisplayedCode()
  return useApiMutation((request, body: NewCode) => request('POST /codes', { body }), ['codes'], setDisplayed)
}

export const useCancelCode = () =>
  useApiMutation((request, id: string) => request('DELETE /codes/{id}', { id }), ['codes'])
