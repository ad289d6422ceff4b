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

/** An endpoint as returned to its owner and to operators. Times are RFC 3339 in UTC. */
export interface WebhookEndpoint {
  id: string
  url: string
  description: string
  /** Its filter: kinds and families, and ids that an event must be about; null for all. */
  types: string[] | null
  nation_ids: string[] | null
  alliance_ids: string[] | null
  status: EndpointStatus
  disabled_reason: DisabledReason | null
  disabled_at: string | null
  created_at: string
  last_delivered_at: string | null
  last_failed_at: string | null
  /** Since when every attempt has failed; null while attempts succeed. */
  failing_since: string | null
  /** The warnings to the owner about that. */
  warnings: { percent: number; warned_at: string }[]
  /** Until when the previous secret signs too. */
  previous_secret_ends_at: string | null
}

/** The receiver's response to a test. */
export interface WebhookTestResult {
  has_arrived: boolean
  /** The response status; null without a response, then `error` states the reason. */
  status: number | null
  error: string | null
  /** The first kilobyte of the response: untrusted text. */
  answer: string | null
  latency_ms: number
}

/** One attempt to deliver. */
export interface WebhookAttempt {
  /** From 1, over the whole life of the delivery. */
  number: number
  attempted_at: string
  latency_ms: number
  /** The response status; null without a response, then `error` states the reason. */
  status: number | null
  error: string | null
  /** The first kilobyte of the response: untrusted text. */
  answer: string | null
  /** When the next one is due; null if this was the last. */
  next_at: string | null
}

export const deliveryStates = ['pending', 'sending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** The delivery of one event to one endpoint. */
export interface WebhookDelivery {
  id: string
  /** Null for a test. */
  event_id: string | null
  type: string
  state: DeliveryState
  created_at: string
  settled_at: string | null
  /** While it is pending: when the next attempt is due. */
  next_at: string | null
  /** The latest attempts, newest first: as many as one series of retries has. */
  attempts: WebhookAttempt[]
}
