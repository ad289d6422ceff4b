import type { DeliveryState, EndpointDraft, ReplayRequest } from '@chancery/contract'
import { useQuery } from '@tanstack/react-query'
import { useApiMutation, useRequest } from '../api/context.ts'

const invalidated = ['webhooks', 'deliveries']

export function useEndpoints() {
  const request = useRequest()
  return useQuery({
    queryKey: ['webhooks'],
    queryFn: () => request('GET /webhooks'),
    refetchInterval: 15_000,
  })
}

/** Polls often while a delivery is pending. */
export function useDeliveries(id: string, query: { limit: number; state?: DeliveryState }) {
  const request = useRequest()
  return useQuery({
    queryKey: ['deliveries', id, query],
    queryFn: () => request('GET /webhooks/{id}/deliveries', { id, query }),
    placeholderData: previous => previous,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ state }) => state === 'sending' || state === 'pending') ? 2_000 : 10_000,
  })
}

export function useAddEndpoint() {
  const request = useRequest()
  return useApiMutation((body: EndpointDraft) => request('POST /webhooks', { body }), invalidated)
}

export function useEndpointMutations(id: string) {
  const request = useRequest()
  return {
    update: useApiMutation((body: EndpointDraft) => request('PUT /webhooks/{id}', { id, body }), invalidated),
    test: useApiMutation(() => request('POST /webhooks/{id}/test', { id }), invalidated),
    enable: useApiMutation(() => request('POST /webhooks/{id}/enable', { id }), invalidated),
    disable: useApiMutation(() => request('POST /webhooks/{id}/disable', { id }), invalidated),
    rotate: useApiMutation(() => request('POST /webhooks/{id}/rotate', { id }), invalidated),
    remove: useApiMutation(() => request('DELETE /webhooks/{id}', { id }), ['webhooks']),
    replay: useApiMutation(
      (body: ReplayRequest) => request('POST /webhooks/{id}/replay', { id, body }),
      invalidated,
    ),
  }
}
