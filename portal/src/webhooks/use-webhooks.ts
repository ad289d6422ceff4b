import type { DeliveryState, EndpointDraft, ReplayRequest, WebhookDelivery } from '@chancery/contract'
import { useApiMutation, useApiQuery } from '../api/context.ts'

const invalidated = ['webhooks', 'deliveries']

export const useEndpoints = () =>
  useApiQuery(['webhooks'], request => request('GET /webhooks'), { refetchInterval: 15_000 })

/** Polls often while a delivery is pending. */
export const useDeliveries = (id: string, query: { limit: number; state?: DeliveryState }) =>
  useApiQuery(['deliveries', id, query], request => request('GET /webhooks/{id}/deliveries', { id, query }), {
    placeholderData: previous => previous,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ state }) => state === 'sending' || state === 'pending') ? 2_000 : 10_000,
  })

/** What the attempts of a delivery sent; read again after each attempt. */
export const useDeliveryRequests = (id: string, { id: delivery, attempts }: WebhookDelivery) =>
  useApiQuery(
    ['delivery-requests', id, delivery, attempts.length],
    request => request('GET /webhooks/{id}/requests', { id, query: { delivery } }),
    { placeholderData: previous => previous, staleTime: Number.POSITIVE_INFINITY },
  )

export const useAddEndpoint = () =>
  useApiMutation((request, body: EndpointDraft) => request('POST /webhooks', { body }), invalidated)

export function useEndpointMutations(id: string) {
  return {
    update: useApiMutation(
      (request, body: EndpointDraft) => request('PUT /webhooks/{id}', { id, body }),
      invalidated,
    ),
    test: useApiMutation(request => request('POST /webhooks/{id}/test', { id }), invalidated),
    enable: useApiMutation(request => request('POST /webhooks/{id}/enable', { id }), invalidated),
    disable: useApiMutation(request => request('POST /webhooks/{id}/disable', { id }), invalidated),
    rotate: useApiMutation(request => request('POST /webhooks/{id}/rotate', { id }), invalidated),
    remove: useApiMutation(request => request('DELETE /webhooks/{id}', { id }), ['webhooks']),
    replay: useApiMutation(
      (request, body: ReplayRequest) => request('POST /webhooks/{id}/replay', { id, body }),
      invalidated,
    ),
  }
}
