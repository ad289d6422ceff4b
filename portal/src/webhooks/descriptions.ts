import type { AccountEndpoint, DeliveryState, WebhookTestResult } from '@chancery/contract'

/** Why there was no answer, for the words of the delivery log. */
const errorDescriptions: Record<string, string> = {
  timed_out: 'No complete answer came in time (15 seconds)',
  name_not_found: 'The host name is not known',
  address_not_public: 'The host’s address is not public',
  connection_failed: 'No connection could be made',
  tls_failed: 'The TLS handshake failed: look at the certificate',
  closed_early: 'The connection was closed before the answer ended',
  not_http: 'The answer was not HTTP',
  stopped: 'The service was restarted while it waited',
  url_not_allowed: 'The service does not send to this URL',
}

const describeError = (error: string) => errorDescriptions[error] ?? error

/** What became of an attempt, in plain words. */
export function describeAttempt({ status, error }: { status: number | null; error: string | null }): string {
  if (error !== null)
    return status === null ? describeError(error) : `Answered ${status}. ${describeError(error)}`
  if (status === null) return 'No answer'
  if (status >= 200 && status < 300) return `Arrived: answered ${status}`
  if (status >= 300 && status < 400) return `Answered ${status}: redirects are not followed`
  if (status === 410) return 'Answered 410 Gone: the endpoint is switched off'
  return `Answered ${status}: only 200 to 299 counts as arrived`
}

export const describeTest = (test: WebhookTestResult) =>
  test.has_arrived
    ? `The test arrived: answered ${test.status} after ${test.latency_ms} ms.`
    : `The test did not arrive. ${describeAttempt(test)}.`

export const deliveryStateLabels: Record<DeliveryState, { label: string; color: string }> = {
  pending: { label: 'Waiting', color: 'gray' },
  sending: { label: 'On its way', color: 'gray' },
  delivered: { label: 'Arrived', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
}

/** An endpoint's state in a word. */
export function endpointStateLabel(endpoint: AccountEndpoint): { label: string; color: string } {
  if (endpoint.status === 'disabled') return { label: 'Switched off', color: 'red' }
  if (endpoint.status === 'unconfirmed') return { label: 'Unconfirmed', color: 'orange' }
  if (endpoint.failing_since) return { label: 'Failing', color: 'orange' }
  return { label: 'Active', color: 'teal' }
}

/** What an endpoint hears, in a sentence. */
export function describeFilter({ types, nation_ids, alliance_ids }: AccountEndpoint): string {
  const about = [
    ...(nation_ids ? [`nation ${nation_ids.join(' or ')}`] : []),
    ...(alliance_ids ? [`alliance ${alliance_ids.join(' or ')}`] : []),
  ]
  const kinds = types ? types.join(', ') : 'Every kind of event'
  return about.length > 0 ? `${kinds}; about ${about.join(' and ')}` : kinds
}
