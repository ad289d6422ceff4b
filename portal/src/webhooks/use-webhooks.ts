import type { EndpointDraft, ReplayRequest } from '@chancery/contract'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/context.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'

export function useEndpoints() {
  const { webhooks } = useClient()
  return useQuery({ queryKey: ['webhooks'], queryFn: webhooks.list, refetchInterval: 15_000 })
}

/** Deliveries on their way settle within seconds; others are looked at now and then. */
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

const all = ['webhooks', 'deliveries']

export function useAddEndpoint() {
  const { webhooks } = useClient()
  return useApiMutation(webhooks.add, all)
}

/** What can be done to one endpoint. */
export function useEndpointChanges(id: string) {
  const { webhooks } = useClient()
  return {
    change: useApiMutation((draft: EndpointDraft) => webhooks.change(id, draft), all),
    test: useApiMutation(() => webhooks.test(id), all),
    enable: useApiMutation(() => webhooks.enable(id), all),
    disable: useApiMutation(() => webhooks.disable(id), all),
    rotate: useApiMutation(() => webhooks.rotate(id), all),
    remove: useApiMutation(() => webhooks.remove(id), ['webhooks']),
    replay: useApiMutation((body: ReplayRequest) => webhooks.replay(id, body), all),
  }
}
