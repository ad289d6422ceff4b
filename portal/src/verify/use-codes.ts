import type { IssuedAccountCode } from '@chancery/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/context.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'

/** While a code lives its redemption is seen within a second. Out of sight nobody asks. */
const watchMs = 500

export function useCodes() {
  const { codes } = useClient()
  return useQuery({
    queryKey: ['codes'],
    queryFn: codes.list,
    refetchInterval: ({ state }) => (state.data && state.data.live.length > 0 ? watchMs : false),
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: 'always',
  })
}

/** The code that this page shows. It is kept while the page is open, also when another page of the settings is looked at. */
const shownKey = ['code-shown']

export function useDisplayedCode() {
  const { data } = useQuery<IssuedAccountCode | null>({
    queryKey: shownKey,
    queryFn: () => null,
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return data
}

export function useSetDisplayedCode() {
  const queryClient = useQueryClient()
  return (code: IssuedAccountCode | null) => queryClient.setQueryData(shownKey, code)
}

export function useCreateCode() {
  const { codes } = useClient()
  const setShown = useSetDisplayedCode()
  return useApiMutation(codes.create, ['codes'], setShown)
}

export function useCancelCode() {
  const { codes } = useClient()
  return useApiMutation(codes.cancel, ['codes'])
}
