import type { AccountKey, LimitRequest, NewAccountKey } from '@chancery/contract'
import { useApiMutation, useApiQuery } from '../api/context.ts'

export const useKeys = () => useApiQuery(['keys'], request => request('GET /keys'))

/** The stored beginning of a key; the rest is known only to its owner. */
export const prefixOf = ({ prefix }: Pick<AccountKey, 'prefix'>) => (prefix ? `${prefix}…` : 'Prefix unknown')

/** Mutations of the player's keys. */
export function useKeyMutations() {
  const invalidated = ['keys']
  return {
    create: useApiMutation((request, body: NewAccountKey) => request('POST /keys', { body }), invalidated),
    regenerate: useApiMutation(
      (request, { id, overlapHours }: { id: string; overlapHours: number }) =>
        request('POST /keys/{id}/rotate', { id, body: { overlap_hours: overlapHours } }),
      invalidated,
    ),
    requestLimit: useApiMutation(
      (request, { id, ...body }: LimitRequest & { id: string }) =>
        request('POST /keys/{id}/limit-request', { id, body }),
      invalidated,
    ),
    revoke: useApiMutation((request, id: string) => request('POST /keys/{id}/revoke', { id }), invalidated),
    revokePrivate: useApiMutation(request => request('POST /keys/revoke-private'), invalidated),
  }
}
