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

export const deliveryStates = ['pending', 'sending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]
