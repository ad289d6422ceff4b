import type { AccountSession, Landing } from '@chancery/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { useAnnounce } from '../ui/announcer.tsx'
import { replaceSession } from './use-session.ts'

const paths: Record<Landing, string> = { verify: '/', keys: '/keys', webhooks: '/webhooks' }

/** Signs in by whatever `start` does, and goes where the sign-in leads. */
export function useSignIn<From>(start: (from: From) => Promise<AccountSession>, onDone?: () => void) {
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const [, navigate] = useLocation()
  return useMutation({
    mutationFn: start,
    onSuccess: session => {
      replaceSession(queryClient, { signedIn: session })
      announce(`Signed in${session.nation ? ` as ${session.nation.nation_name}` : ''}.`)
      onDone?.()
      navigate(paths[session.landing], { replace: true })
    },
  })
}
