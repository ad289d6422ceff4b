/**
 * Limits, headers and names of webhooks. They follow the Standard Webhooks specification.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const webhooks = {
  /** The event's id: the same on every attempt. */
  idHeader: 'webhook-id',
  /** Unix seconds of the attempt. */
  timestampHeader: 'webhook-timestamp',
  /** One or more signatures, separated by spaces. */
  signatureHeader: 'webhook-signature',
  secretPrefix: 'whsec_',
  secretBytes: 32,
  /** How long a rotated secret signs in addition to its successor. */
  secretOverlapHours: 24,
  /** How many rotated secrets may sign at a time. */
  previousSecretsMax: 5,

  /** From connecting to the last byte of the response that is read. */
  timeoutSeconds: 15,
  /** How much of a response is read. */
  responseBytesMax: 65_536,
  /** How much of a response the delivery log stores. */
  responseBytesKept: 1_024,

  /** The delay before each retry. An event has one attempt more than this list has entries. */
  retryDelaysSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  /** Each delay is extended by a random share of up to this, so that retries spread. */
  retryJitter: 0.2,
  /** A `Retry-After` of the receiver is honoured between the listed delay and this multiple of it. */
  retryAfterFactorMax: 2,

  /** An endpoint is disabled when all attempts of this time have failed. */
  failingDays: 5,
  /** Failures further apart than this are sporadic: they do not count as one period of failure. */
  sporadicAfterHours: 48,
  /** Percentages of that time at which the owner is warned. */
  failingWarnings: [50, 70, 90],
  /** Retention of attempts. */
  logDays: 30,

  /** Events per replay of a time span. */
  replayEventsMax: 100_000,

  endpointsPerPlayerMax: 10,
  urlLengthMax: 2_000,
  descriptionLengthMax: 200,

  /** The event type of a test delivery. It is not in the log. */
  testType: 'webhook.test',
  /** The type of a delivery whose event is no longer kept. */
  expiredType: 'event.expired',
} as const

/** The states of an endpoint: its test has not succeeded yet, active, or disabled. */
export const endpointStatuses = ['unconfirmed', 'active', 'disabled'] as const
export type EndpointStatus = (typeof endpointStatuses)[number]

/** Why an endpoint is disabled. */
export const disabledReasons = {
  owner: 'Disabled by its owner or by the operator.',
  failing: 'All attempts of five days failed.',
  gone: 'The receiver responded with 410 Gone.',
  player_suspended: 'Its player is suspended.',
} as const
export type DisabledReason = keyof typeof disabledReasons

export const deliveryStates = ['pending', 'sending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Errors of attempts in the delivery log. */
export const deliveryErrors = {
  timed_out: `no complete response within ${webhooks.timeoutSeconds} seconds`,
  name_not_found: 'the host name was not found',
  address_not_public: 'the address of the host is not public',
  connection_failed: 'the connection failed',
  tls_failed: 'TLS failed: the certificate must be valid, complete and for this host',
  closed_early: 'the connection was closed before the response was complete',
  not_http: 'the response is not valid HTTP',
  stopped: 'the service stopped during the request',
  url_not_allowed: 'the service does not send to this URL',
} as const
export type DeliveryError = keyof typeof deliveryErrors

const deliveryErrorTexts: Readonly<Record<string, string>> = deliveryErrors

interface AttemptResult {
  status: number | null
  error: string | null
}

/** The result of an attempt in plain words. An error of a later version is shown unchanged. */
export function describeAttempt({ status, error }: AttemptResult): string {
  const reason = error === null ? undefined : (deliveryErrorTexts[error] ?? error)
  if (status === null) return reason === undefined ? 'No response' : `No response: ${reason}`
  return `Status ${status}: ${reason ?? describeStatus(status)}`
}

function describeStatus(status: number): string {
  if (status >= 200 && status < 300) return 'delivered'
  if (status < 400) return 'redirects are not followed'
  if (status === 401 || status === 403) return 'the receiver requires a login; it must verify the signature'
  if (status === 404) return 'the receiver has no such path'
  if (status === 405) return 'the receiver does not accept POST at this path'
  if (status === 410) return 'the receiver is gone, and the endpoint is disabled'
  if (status === 429) return 'the receiver limits the rate'
  return status < 500 ? 'the receiver rejected the message' : 'the receiver failed'
}
