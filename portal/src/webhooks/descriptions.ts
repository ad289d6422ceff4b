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

/** Why the last failed attempt failed, as a sentence. */
export const describeLastFailure = ({ last_failed_status, last_failed_error }: AccountEndpoint) =>
  // Of a failure before the reason was stored, neither is known.
  last_failed_status === null && last_failed_error === null
    ? null
    : `${describeAttempt({ status: last_failed_status, error: last_failed_error })}.`
