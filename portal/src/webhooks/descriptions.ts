import type { AccountEndpoint, DeliveryState, WebhookTestResult } from '@chancery/contract'

const errorDescriptions: Record<string, string> = {
  timed_out: 'Timed out: no complete response within 15 seconds',
  name_not_found: 'Host name not found',
  address_not_public: 'The host’s address is not public',
  connection_failed: 'Connection failed',
  tls_failed: 'TLS handshake failed: check the certificate',
  closed_early: 'The connection was closed before the response was complete',
  not_http: 'The response is not valid HTTP',
  stopped: 'The service restarted during the request',
  url_not_allowed: 'The service does not send to this URL',
}

const describeError = (error: string) => errorDescriptions[error] ?? error

export function describeAttempt({ status, error }: { status: number | null; error: string | null }): string {
  if (error !== null)
    return status === null ? describeError(error) : `Status ${status}. ${describeError(error)}`
  if (status === null) return 'No response'
  if (status >= 200 && status < 300) return `Delivered with status ${status}`
  if (status >= 300 && status < 400) return `Status ${status}: redirects are not followed`
  if (status === 410) return 'Status 410 Gone: the endpoint is disabled'
  return `Status ${status}: only 200 to 299 counts as delivered`
}

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
