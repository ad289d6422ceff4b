import type { EndpointDraft, ReplayRequest } from '@chancery/contract'
import { useQuery } from '@tanstack/react-query'
import { useApiMutation, useClient } from '../api/context.ts'

export function useEndpoints() {
  const { webhooks } = useClient()
  return useQuery({ queryKey: ['webhooks'], queryFn: webhooks.list, refetchInterval: 15_000 })
}

/** Polls often while a delivery is pending. */
export function useDeliveries(id: string, filter: { limit: number; state: string }) {
  const { webhooks } = useClient()
  return useQuery({
    queryKey: ['deliveries', id, filter],
    queryFn: () => webhooks.deliveries(id, filter),
    placeholderData: previous => previous,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ state }) => state === 'sending' || state === 'pending') ? 2_000 : 10_000,
  })
}

const invalidated = ['webhooks', 'deliveries']

export function useAddEndpoint() {
  const { webhooks } = useClient()
  return useApiMutation(webhooks.add, invalidated)
}

export function useEndpointMutations(id: string) {
  const { webhooks } = useClient()
  return {
    update: useApiMutation((draft: EndpointDraft) => webhooks.update(id, draft), invalidated),
    test: useApiMutation(() => webhooks.test(id), invalidated),
    enable: useApiMutation(() => webhooks.enable(id), invalidated),
    disable: useApiMutation(() => webhooks.disable(id), invalidated),
    rotate: useApiMutation(() => webhooks.rotate(id), invalidated),
    remove: useApiMutation(() => webhooks.remove(id), ['webhooks']),
    replay: useApiMutation((body: ReplayRequest) => webhooks.replay(id, body), invalidated),
  }
}
