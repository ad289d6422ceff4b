import type { LimitRequest } from '@chancery/contract'
import { useQuery } from '@tanstack/react-query'
import { useApiMutation, useClient } from '../api/context.ts'

export function useKeys() {
  const { keys } = useClient()
  return useQuery({ queryKey: ['keys'], queryFn: keys.list })
}

export function useCreateKey() {
  const { keys } = useClient()
  return useApiMutation(keys.create, ['keys'])
}

export function useRegenerateKey(id: string) {
  const { keys } = useClient()
  return useApiMutation((overlapHours: number) => keys.rotate(id, overlapHours), ['keys'])
}

export function useRevokeKey() {
  const { keys } = useClient()
  return useApiMutation(keys.revoke, ['keys'])
}

export function useRevokePrivateKeys() {
  const { keys } = useClient()
  return useApiMutation(() => keys.revokePrivate(), ['keys'])
}

export function useRequestLimit(id: string) {
  const { keys } = useClient()
  return useApiMutation((body: LimitRequest) => keys.requestLimit(id, body), ['keys'])
}
