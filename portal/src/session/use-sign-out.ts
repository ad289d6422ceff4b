import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/context.ts'
import { replaceSession } from './use-session.ts'

/** Ends this session, or with `everywhere` all of this player's. */
export function useSignOut({ everywhere = false } = {}) {
  const { session } = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: everywhere ? session.endAll : session.end,
    onSuccess: () => replaceSession(queryClient, { signedIn: null, hasEnded: false }),
  })
}
