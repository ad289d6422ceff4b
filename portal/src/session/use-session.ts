import type { AccountSession, Landing } from '@chancery/contract'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { pageStorage } from '../api/base-path.ts'
import { useClock, useRequest } from '../api/context.ts'
import { takePendingKeyLink } from '../keys/key-link.ts'
import { useAnnounce } from '../ui/announcer.tsx'

/** `hasEnded`: the session expired or was ended elsewhere, rather than by signing out here. */
export type SessionState = { signedIn: AccountSession } | { signedIn: null; hasEnded: boolean }

const sessionKey = ['session']
/** Queries without data of a player: they stay cached when another player signs in. */
const playerIndependentKeys = new Set(['session', 'page'])

export function useSessionState() {
  const request = useRequest()
  const queryClient = useQueryClient()
  return useQuery({
    queryKey: sessionKey,
    queryFn: async (): Promise<SessionState> => {
      const { session } = await request('GET /session/current')
      return session ? { signedIn: session } : { signedIn: null, hasEnded: readSession(queryClient) !== null }
    },
    staleTime: 60_000,
  })
}

export const readSession = (queryClient: QueryClient) =>
  queryClient.getQueryData<SessionState>(sessionKey)?.signedIn ?? null

/** Replaces the session, and removes all cached data of the previous player. */
export function replaceSession(queryClient: QueryClient, state: SessionState) {
  queryClient.setQueryData(sessionKey, state)
  queryClient.removeQueries({ predicate: ({ queryKey }) => !playerIndependentKeys.has(String(queryKey[0])) })
}

/** The nation of the player who is signed in; null without one. */
export function useNation() {
  const { data } = useSessionState()
  return data?.signedIn?.nation ?? null
}

const landingPaths: Record<Landing, string> = { verify: '/', keys: '/keys', webhooks: '/webhooks' }

/** Signs in by `start`, then opens the pending key link, else the landing page of the session. */
export function useSignIn<Variables>(
  start: (variables: Variables) => Promise<AccountSession>,
  onDone?: () => void,
) {
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const clock = useClock()
  const [, navigate] = useLocation()
  return useMutation({
    mutationFn: start,
    onSuccess: session => {
      replaceSession(queryClient, { signedIn: session })
      announce(`Signed in${session.nation ? ` as ${session.nation.nation_name}` : ''}.`)
      onDone?.()
      const pendingLink = takePendingKeyLink(pageStorage, clock.now())
      // The list of demo players may have been scrolled.
      scrollTo(0, 0)
      navigate(pendingLink ?? landingPaths[session.landing], { replace: true })
    },
  })
}

/** Work that needs the session, done before it is ended here. */
const beforeSignOut = new Set<() => Promise<void>>()

export function useBeforeSignOut(work: () => Promise<void>) {
  useEffect(() => {
    beforeSignOut.add(work)
    return () => void beforeSignOut.delete(work)
  }, [work])
}

/** Ends this session, or with `everywhere` all sessions of the player. */
export function useSignOut({ everywhere = false } = {}) {
  const request = useRequest()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      await Promise.all([...beforeSignOut].map(work => work()))
      return everywhere ? request('POST /session/end-all') : request('DELETE /session')
    },
    onSuccess: () => replaceSession(queryClient, { signedIn: null, hasEnded: false }),
  })
}
