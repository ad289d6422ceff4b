import type { LimitRequest, NewAccountKey } from '@chancery/contract'
import { useQuery } from '@tanstack/react-query'
import { useApiMutation, useRequest } from '../api/context.ts'

export function useKeys() {
  const request = useRequest()
  return useQuery({ queryKey: ['keys'], queryFn: () => request('GET /keys') })
}

/** Mutations of the player's keys. */
export function useKeyMutations() {
  const request = useRequest()
  const invalidated = ['keys']
  return {
    create: useApiMutation((body: NewAccountKey) => request('POST /keys', { body }), invalidated),
    regenerate: useApiMutation(
      ({ id, overlapHours }: { id: string; overlapHours: number }) =>
        request('POST /keys/{id}/rotate', { id, body: { overlap_hours: overlapHours } }),
      invalidated,
    ),
    requestLimit: useApiMutation(
      ({ id, ...body }: LimitRequest & { id: string }) =>
        request('POST /keys/{id}/limit-request', { id, body }),
      invalidated,
    ),
    revoke: useApiMutation((id: string) => request('POST /keys/{id}/revoke', { id }), invalidated),
    revokePrivate: useApiMutation(() => request('POST /keys/revoke-private'), invalidated),
  }
}
