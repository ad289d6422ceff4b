import type { TestRecord } from '../door/endpoint-record.ts'

/** Words of the service for why there was no answer, in plain ones. */
const errors = new Map([
  ['timed_out', 'the receiver took too long to answer'],
  ['name_not_found', 'no name server knows the host of the address'],
  ['address_not_public', 'the host is not public; CHANCERY_WEBHOOKS_ALLOW_LOCAL=true allows it anyway'],
  ['connection_failed', 'nothing takes connections there, or something between refuses them'],
  ['tls_failed', 'no secure connection came about: is the certificate valid, complete and for this host?'],
  ['closed_early', 'the receiver closed the connection without an answer'],
  ['not_http', 'what listens there does not speak HTTP'],
  ['stopped', 'the service was being stopped meanwhile'],
  ['url_not_allowed', 'webhooks may not go to such an address now: see CHANCERY_WEBHOOKS_ALLOW_LOCAL'],
])

/** What came instead of a status from 200 to 299. */
export function whatCame({ status, error }: Pick<TestRecord, 'status' | 'error'>): string {
  if (status !== null) return `${status}: ${statusText(status)}`
  const explained = errors.get(error ?? '')
  return explained === undefined ? (error ?? 'no answer') : `${error}: ${explained}`
}

function statusText(status: number): string {
  if (status < 400) return 'redirects are not followed: give the address that takes the messages'
  if (status === 401 || status === 403)
    return 'the receiver lets nobody in without a login: it must take messages for their signature'
  if (status === 404) return 'the receiver has nothing at this path'
  if (status === 405) return 'the receiver takes no POST at this path'
  if (status === 410) return 'the receiver says that it wants no messages any more'
  if (status === 429) return 'the receiver is asked too often'
  return status < 500 ? 'the receiver refuses the message' : 'the receiver failed: its own log says why'
}
