import type { AccountSession } from '@chancery/contract'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/context.ts'
import { isSignedOut } from '../api/errors.ts'

/** `hasEnded`: somebody was signed in a moment ago, and did not sign out here. */
export type SessionState = { signedIn: AccountSession } | { signedIn: null; hasEnded: boolean }

const sessionKey = ['session']
/** What the page knows of no player in particular, and may keep when another one signs in. */
const playerIndependentKeys = new Set(['session', 'page'])

export function useSessionState() {
  const client = useClient()
  const queryClient = useQueryClient()
  return useQuery({
    queryKey: sessionKey,
    queryFn: async (): Promise<SessionState> => {
      try {
        return { signedIn: await client.session.read() }
      } catch (error) {
        if (!isSignedOut(error)) throw error
        return { signedIn: null, hasEnded: readSession(queryClient) !== null }
      }
    },
    staleTime: 60_000,
  })
}

export const readSession = (queryClient: QueryClient) =>
  queryClient.getQueryData<SessionState>(sessionKey)?.signedIn ?? null

/** Puts another session in place. Nothing that the former player saw is kept. */
export function replaceSession(queryClient: QueryClient, state: SessionState) {
  queryClient.setQueryData(sessionKey, state)
  queryClient.removeQueries({ predicate: ({ queryKey }) => !playerIndependentKeys.has(String(queryKey[0])) })
}

/** What somebody signed in with: the nation where there is one. */
export function useNation() {
  const { data } = useSessionState()
  return data?.signedIn?.nation ?? null
}
