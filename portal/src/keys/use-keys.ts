import type { LimitRequest } from '@chancery/contract'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/context.ts'
import { useChange } from '../api/use-change.ts'

export function useKeys() {
  const { keys } = useClient()
  return useQuery({ queryKey: ['keys'], queryFn: keys.list })
}

export function useCreateKey() {
  const { keys } = useClient()
  return useChange(keys.create, ['keys'])
}

export function useReplaceKey(id: string) {
  const { keys } = useClient()
  return useChange((overlapHours: number) => keys.rotate(id, overlapHours), ['keys'])
}

export function useRevokeKey() {
  const { keys } = useClient()
  return useChange(keys.revoke, ['keys'])
}

export function useRevokePrivateKeys() {
  const { keys } = useClient()
  return useChange(() => keys.revokePrivate(), ['keys'])
}

export function useAskLimit(id: string) {
  const { keys } = useClient()
  return useChange((body: LimitRequest) => keys.askLimit(id, body), ['keys'])
}
