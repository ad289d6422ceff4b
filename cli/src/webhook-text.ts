import { type DisabledReason, type operatorOperations, type ResponseOf, webhooks } from '@chancery/contract'
import { formatMinute } from './format.ts'
import { firstLine } from './untrusted-text.ts'

type Endpoint = ResponseOf<typeof operatorOperations.webhooksGet>
type TestResult = NonNullable<ResponseOf<typeof operatorOperations.webhooksTest>['test']>

const reasons: Record<DisabledReason, string> = {
  owner: 'on request',
  failing: `failed ${webhooks.failingDays} days`,
  gone: 'returned 410',
  player_suspended: 'suspended',
}
const reasonTexts = new Map<string, string>(Object.entries(reasons))

/** Why an endpoint is disabled. A reason of a later version is shown unchanged. */
const reasonText = ({ disabled_reason: reason }: Endpoint): string =>
  reasonTexts.get(reason ?? '') ?? reason ?? 'unknown reason'

/** `active`, `unconfirmed`, `off: returned 410`, or since when it fails and the part of the time limit that has passed. */
export function stateText(endpoint: Endpoint, nowMs: number): string {
  const { status, failing_since: since, switches_off_at: until } = endpoint
  if (status === 'disabled') return `off: ${reasonText(endpoint)}`
  if (status !== 'active' || since === null) return status
  return `failing since ${formatMinute(since)}${until === null ? '' : `, ${percentOf(since, until, nowMs)} %`}`
}

/** At most 99: it is not disabled yet, even if the clocks differ. */
function percentOf(since: string, until: string, nowMs: number): number {
  const share = (nowMs - Date.parse(since)) / (Date.parse(until) - Date.parse(since))
  return Math.floor(Math.min(Math.max(share, 0), 0.99) * 100)
}

/** The event filter: `war.*,battle.fought; nations n1,n2`. */
const filterText = (endpoint: Endpoint): string => conditionsOf(endpoint, values => values.join(','))

/** The event filter in short: `war.* +1; nations n1 +1`. */
export const filterSummary = (endpoint: Endpoint): string =>
  conditionsOf(endpoint, ([first = '', ...rest]) => (rest.length === 0 ? first : `${first} +${rest.length}`))

function conditionsOf(
  { types, nation_ids, alliance_ids }: Endpoint,
  write: (values: string[]) => string,
): string {
  const conditions = [
    ...(types ? [write(types)] : []),
    ...(nation_ids ? [`nations ${write(nation_ids)}`] : []),
    ...(alliance_ids ? [`alliances ${write(alliance_ids)}`] : []),
  ]
  return conditions.length === 0 ? 'all' : conditions.join('; ')
}

/** The result of a test, and the status of the endpoint after it. */
export const testText = (endpoint: Endpoint, test: TestResult): string =>
  (test.has_arrived ? passed(endpoint, test) : failed(endpoint, test)).join('\n')

function passed(endpoint: Endpoint, { status, latency_ms: latencyMs }: TestResult): string[] {
  const result = `The receiver responded to the test with ${status} in ${latencyMs} ms.`
  return endpoint.status === 'active'
    ? [`${result} The endpoint is active.`, `Events: ${filterText(endpoint)}`]
    : [result, ...nextSteps(endpoint, 'To enable it:')]
}

const responseLengthMax = 80

function failed(endpoint: Endpoint, test: TestResult): string[] {
  const response = firstLine(test.answer ?? '', responseLengthMax)
  return [
    'The test failed: the receiver must respond with a status from 200 to 299. Result:',
    `  ${describeAttempt(test)}`,
    ...(response === '' ? [] : [`  Response: ${response}`]),
    ...nextSteps(endpoint, 'When the receiver is ready:'),
  ]
}

/** The status of an endpoint that the test did not change, and the command that changes it. */
function nextSteps(endpoint: Endpoint, when: string): string[] {
  const { id, status } = endpoint
  if (status === 'active') return ['It stays active: failed deliveries are retried.']
  const [state, command] =
    status === 'unconfirmed'
      ? ['It is not active yet, and receives no events.', 'test']
      : [`It stays off (${reasonText(endpoint)}).`, 'enable']
  return [`${state} ${when}`, '', `  chancery webhooks ${command} ${id}`]
}

const errors = new Map([
  ['timed_out', 'the receiver did not respond in time'],
  ['name_not_found', 'no name server knows the host of the URL'],
  ['address_not_public', 'the host is not public; CHANCERY_WEBHOOKS_ALLOW_LOCAL=true allows it'],
  ['connection_failed', 'the connection was refused by the host, or blocked on the way'],
  ['tls_failed', 'TLS failed: is the certificate valid, complete and for this host?'],
  ['closed_early', 'the receiver closed the connection without a response'],
  ['not_http', 'the receiver does not speak HTTP'],
  ['stopped', 'the service was stopped in the meantime'],
  ['url_not_allowed', 'webhooks may not use such a URL now: see CHANCERY_WEBHOOKS_ALLOW_LOCAL'],
])

/** Why an attempt failed. An error of a later version is shown unchanged. */
export function describeAttempt({ status, error }: Pick<TestResult, 'status' | 'error'>): string {
  if (status !== null) return `${status}: ${statusText(status)}`
  const explained = errors.get(error ?? '')
  return explained === undefined ? (error ?? 'no response') : `${error}: ${explained}`
}

function statusText(status: number): string {
  if (status < 400) return 'redirects are not followed: give the URL that accepts the messages'
  if (status === 401 || status === 403)
    return 'the receiver requires a login: it must verify the signature instead'
  if (status === 404) return 'the receiver has nothing at this path'
  if (status === 405) return 'the receiver does not accept POST at this path'
  if (status === 410) return 'the receiver wants no more messages'
  if (status === 429) return 'the receiver limits the rate'
  return status < 500 ? 'the receiver rejects the message' : 'the receiver failed: see its own log'
}
