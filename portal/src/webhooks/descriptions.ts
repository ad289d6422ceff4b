import {
  type AccountEndpoint,
  type DeliveryState,
  describeAttempt,
  type WebhookTestResult,
} from '@chancery/contract'

export const describeTest = (test: WebhookTestResult) =>
  test.has_arrived
    ? `The test event was delivered with status ${test.status} after ${test.latency_ms} ms.`
    : `The test event was not delivered. ${describeAttempt(test)}.`

export const describeQueued = (count: number) => `${count} ${count === 1 ? 'delivery' : 'deliveries'} queued.`

export const deliveryStateLabels: Record<DeliveryState, { label: string; color: string }> = {
  pending: { label: 'Pending', color: 'gray' },
  sending: { label: 'Sending', color: 'gray' },
  delivered: { label: 'Delivered', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
}

export function endpointStateLabel(endpoint: AccountEndpoint): { label: string; color: string } {
  if (endpoint.status === 'disabled') return { label: 'Disabled', color: 'red' }
  if (endpoint.status === 'unconfirmed') return { label: 'Unconfirmed', color: 'orange' }
  if (endpoint.failing_since) return { label: 'Failing', color: 'orange' }
  return { label: 'Active', color: 'teal' }
}

/** The filter of an endpoint, such as "war.*; nation n1 or n2". */
export function describeFilter({ types, nation_ids, alliance_ids }: AccountEndpoint): string {
  const subjects = [
    ...(nation_ids ? [`nation ${nation_ids.join(' or ')}`] : []),
    ...(alliance_ids ? [`alliance ${alliance_ids.join(' or ')}`] : []),
  ]
  const kinds = types ? types.join(', ') : 'All events'
  return subjects.length > 0 ? `${kinds}; about ${subjects.join(' and ')}` : kinds
}
