import {
  type DisabledReason,
  describeAttempt,
  type operatorOperations,
  type ResponseOf,
  webhooks,
} from '@chancery/contract'
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

/** `active`, `unconfirmed`, `disabled: returned 410`, or since when it fails and the part of the time limit that has passed. */
export function stateText(endpoint: Endpoint, nowMs: number): string {
  const { status, failing_since: since, switches_off_at: until } = endpoint
  if (status === 'disabled') return `disabled: ${reasonText(endpoint)}`
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
    ...hintFor(test),
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
      : [`It stays disabled (${reasonText(endpoint)}).`, 'enable']
  return [`${state} ${when}`, '', `  chancery webhooks ${command} ${id}`]
}

/** The variable that permits the URL, if the service does not send to it. */
const hintFor = ({ error }: TestResult): string[] =>
  error === 'address_not_public' || error === 'url_not_allowed'
    ? ['  CHANCERY_WEBHOOKS_ALLOW_LOCAL=true permits http URLs and addresses that are not public.']
    : []
