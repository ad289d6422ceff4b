import { endpointStatuses, type WebhookEndpoint, type WebhookTestResult } from '@chancery/contract'
import { type Members, membersOf } from './members.ts'

/** What the operator listener tells of a webhook endpoint, as far as people are shown it. */
export type EndpointRecord = Pick<
  WebhookEndpoint,
  | 'id'
  | 'url'
  | 'types'
  | 'nation_ids'
  | 'alliance_ids'
  | 'status'
  | 'failing_since'
  | 'previous_secret_ends_at'
> & {
  player_id: string
  /** A reason, also one that this version does not know. */
  disabled_reason: string | null
  /** When a spell of failures ends in being switched off. */
  switches_off_at: string | null
}

/** How the receiver met a test. */
export type TestRecord = WebhookTestResult

const thing = 'a webhook endpoint'

/** Throws a CommandError for what no Chancery says, as the readers below. */
export const readEndpoint = (answer: unknown): EndpointRecord => endpointOf(membersOf(answer, thing))

export const readEndpoints = (answer: unknown): EndpointRecord[] =>
  membersOf(answer, thing).list('data').map(endpointOf)

/** The secret of a new endpoint, or a new one. It is told once. */
export const readSecret = (answer: unknown): string => membersOf(answer, thing).text('secret')

/** Null where no test was sent. */
export function readTest(answer: unknown): TestRecord | null {
  const test = membersOf(answer, thing).withinOrNull('test')
  return (
    test && {
      has_arrived: test.flag('has_arrived'),
      status: test.numberOrNull('status'),
      error: test.textOrNull('error'),
      answer: test.textOrNull('answer'),
      latency_ms: test.number('latency_ms'),
    }
  )
}

function endpointOf({ text, textOrNull, textsOrNull, oneOf }: Members): EndpointRecord {
  return {
    id: text('id'),
    player_id: text('player_id'),
    url: text('url'),
    types: textsOrNull('types'),
    nation_ids: textsOrNull('nation_ids'),
    alliance_ids: textsOrNull('alliance_ids'),
    status: oneOf('status', endpointStatuses),
    disabled_reason: textOrNull('disabled_reason'),
    failing_since: textOrNull('failing_since'),
    switches_off_at: textOrNull('switches_off_at'),
    previous_secret_ends_at: textOrNull('previous_secret_ends_at'),
  }
}
