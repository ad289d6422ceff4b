/**
 * The numbers and names of webhooks that their owners may rely on. They follow the Standard Webhooks specification.
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
  /** How long a secret that was replaced signs beside its successor. */
  secretOverlapHours: 24,
  /** How many secrets that were replaced may sign at a time. */
  previousSecretsMax: 5,

  /** From the connection to the last byte of the answer that is read. */
  timeoutSeconds: 15,
  /** How much of an answer is read. */
  responseBytesMax: 65_536,
  /** How much of an answer the delivery log keeps. */
  responseBytesKept: 1_024,

  /** The wait before each retry. Every event is tried once more than this list is long. */
  retryDelaysSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  /** A wait is longer than in the table by up to this share, at random, so that retries spread. */
  retryJitter: 0.2,
  /** A `Retry-After` of the receiver is honoured from the table's wait up to this many times it. */
  retryAfterFactorMax: 2,

  /** An endpoint that only failed for this long is switched off. */
  failingDays: 5,
  /** Failures further apart than this are sporadic: they do not add up to a spell of failing. */
  sporadicAfterHours: 48,
  /** Shares of that time, in percent, at which the owner is warned. */
  failingWarnings: [50, 70, 90],
  /** How long attempts are kept. */
  logDays: 30,

  /** How many events a span that is replayed may hold. */
  replayEventsMax: 100_000,

  endpointsPerPlayerMax: 10,
  urlLengthMax: 2_000,
  descriptionLengthMax: 200,

  /** The type of the event that a test delivery carries. It is not in the log. */
  testType: 'webhook.test',
} as const

/** Whether an endpoint hears: waiting for its test to be answered, active, or switched off. */
export const endpointStatuses = ['unconfirmed', 'active', 'disabled'] as const
export type EndpointStatus = (typeof endpointStatuses)[number]

/** Why an endpoint is switched off. */
export const disabledReasons = {
  owner: 'Switched off by its owner or by the operator.',
  failing: 'Every attempt of five days failed.',
  gone: 'The receiver answered 410 Gone.',
  player_suspended: 'Its player is suspended.',
} as const
export type DisabledReason = keyof typeof disabledReasons

/** An endpoint as its owner and the operator see it. Times are RFC 3339 in UTC. */
export interface WebhookEndpoint {
  id: string
  url: string
  description: string
  /** What it hears: kinds and families, and ids that an event must be about; null for all. */
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
  /** What the owner was told of that. */
  warnings: { percent: number; warned_at: string }[]
  /** Until when the secret before this one signs too. */
  previous_secret_ends_at: string | null
}

/** How a receiver met a test. */
export interface WebhookTestResult {
  has_arrived: boolean
  /** The status that was answered; null where there was no answer, and `error` says why. */
  status: number | null
  error: string | null
  /** The first kilobyte of the answer: a stranger's text. */
  answer: string | null
  latency_ms: number
}

/** One try to deliver. */
export interface WebhookAttempt {
  /** From 1, over the whole life of the delivery. */
  number: number
  attempted_at: string
  latency_ms: number
  /** The status that was answered; null where there was no answer, and `error` says why. */
  status: number | null
  error: string | null
  /** The first kilobyte of the answer: a stranger's text. */
  answer: string | null
  /** When the next one is due; null where this was the last. */
  next_at: string | null
}

export const deliveryStates = ['pending', 'sending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** What became of one event for one endpoint. */
export interface WebhookDelivery {
  id: string
  /** Null for a test. */
  event_id: string | null
  type: string
  state: DeliveryState
  created_at: string
  settled_at: string | null
  /** While it is pending: when it is tried next. */
  next_at: string | null
  /** The latest attempts, newest first: as many as a whole series of retries has. */
  attempts: WebhookAttempt[]
}
