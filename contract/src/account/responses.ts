import type { Class } from '../classification.ts'
import type { Scope } from '../scopes.ts'
import type { WebhookEndpoint, WebhookTestResult } from '../webhooks.ts'
import type { Landing } from './requests.ts'

/** What the developer settings page is answered. Times are RFC 3339 in UTC; lists are `{ data: [ … ] }`. */
export interface AccountList<T> {
  data: T[]
}

/** What the page is, before anybody has signed in. */
export interface PageInfo {
  game: { name: string; url: string | null }
  /** The accent colour, as #rrggbb. */
  color: string
  /** Where the logo is, on this origin. */
  logo_url: string | null
  /** Whether demo players can be signed in as. */
  is_demo: boolean
  /** The canonical base of the API, as callers reach it. */
  api_url: string
  docs_url: string
  scopes: { name: Scope; description: string; is_private: boolean }[]
  default_scopes: Scope[]
  /** Every kind of event, each with the message that a webhook would carry. */
  event_kinds: { type: string; description: string; sample: object }[]
  /** Whether webhooks may go to http URLs and to addresses that are not public. */
  webhooks_allow_local: boolean
}

/** A nation as the page names it. */
export interface NationSummary {
  nation_id: string
  nation_name: string
  leader_name: string
  flag_url: string | null
  alliance: { alliance_id: string; name: string; tag: string } | null
}

/** A demo player that can be signed in as. */
export interface DemoPlayer {
  player_id: string
  nation: NationSummary
}

/** Whom a hand-over link signs in as. */
export interface HandoverPreview {
  player_id: string
  /** Null where the player has no nation at present. */
  nation: NationSummary | null
  landing: Landing
  expires_at: string
}

/** Who is signed in. */
export interface AccountSession {
  player_id: string
  nation: NationSummary | null
  landing: Landing
  /** To be sent as `x-csrf-token` with every change. */
  csrf_token: string
  expires_at: string
}

export interface LiveCode {
  id: string
  created_at: string
  expires_at: string
  /** The chat account that alone may redeem it. */
  bound_to: string | null
}

export interface RedeemedCode {
  id: string
  created_at: string
  redeemed_at: string
  bound_to: string | null
  /** Whether whoever redeemed it used an API key. */
  with_key: boolean
}

export interface AccountCodes {
  live: LiveCode[]
  /** Of the last 30 days, newest first. */
  redeemed: RedeemedCode[]
  live_max: number
}

/** Shown this once. */
export interface IssuedAccountCode extends LiveCode {
  code: string
}

export interface AccountKey {
  id: string
  name: string
  /** How the key begins; null for keys made before that was kept. */
  prefix: string | null
  scopes: Scope[]
  /** Calls a minute. */
  limit: number
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  calls_today: number
  limit_request: {
    calls_per_minute: number
    sentence: string
    asked_at: string
    /** Set when the operator has given the key a limit since. */
    answered_at: string | null
    note: string | null
  } | null
}

/** With the key itself, shown this once. */
export interface NewAccountKeyResponse extends AccountKey {
  key: string
}

/** Calls in a minute or an hour that begins at `at`. */
export interface UsageBucket {
  at: string
  calls: number
  /** Of them, refused with 429. */
  limited: number
}

export interface KeyUsage {
  /** The last hour, oldest first, every minute. */
  minutes: UsageBucket[]
  /** The last seven days, oldest first, every hour. */
  hours: UsageBucket[]
  /** Of the last seven days, most first. */
  operations: {
    operation: string
    calls: number
    /** Of them, those whose answer said that something of it will go. */
    deprecated: number
  }[]
  statuses: { status: number; calls: number }[]
}

/** One line of the request journal. */
export interface LoggedCall {
  request_id: string
  at: string
  key_id: string
  key_name: string
  operation: string
  status: number
  duration_ms: number
}

export interface AccountEndpoint extends WebhookEndpoint {
  /** When it is switched off if nothing arrives until then. */
  switches_off_at: string | null
}

/** The secret is shown this once. */
export interface NewAccountEndpoint extends AccountEndpoint {
  secret: string
  test: WebhookTestResult
}

export interface TestedAccountEndpoint extends AccountEndpoint {
  test: WebhookTestResult | null
}

/** One thing as several viewers see it. Members that a viewer may not read are absent from that view. */
export interface Exploration {
  resource: 'nation' | 'alliance'
  id: string
  fields: {
    name: string
    class: Class
    scope: Scope | null
    description: string
  }[]
  views: { anonymous: object; stranger: object; self: object }
}

/** A line of the account log. */
export interface AccountLogEntry {
  at: string
  /** What was done, like `key.created`. */
  action: AccountAction
  /** The id of what it was done to. */
  subject: string | null
  /** More for people, never a secret. */
  detail: string | null
}

/** Everything that can be done in the developer settings, with the words of its line in the account log. */
export const accountActions = {
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'session.all_ended': 'Signed out everywhere',
  'code.created': 'Made a verification code',
  'code.cancelled': 'Cancelled a verification code',
  'key.created': 'Made a key',
  'key.rotated': 'Replaced a key',
  'key.revoked': 'Revoked a key',
  'key.private_revoked': 'Revoked all keys that read secrets',
  'key.limit_asked': 'Asked for a higher limit',
  'webhook.added': 'Added a webhook endpoint',
  'webhook.changed': 'Changed a webhook endpoint',
  'webhook.enabled': 'Switched a webhook endpoint on',
  'webhook.disabled': 'Switched a webhook endpoint off',
  'webhook.removed': 'Removed a webhook endpoint',
  'webhook.rotated': 'Replaced a webhook secret',
  'webhook.replayed': 'Replayed deliveries',
} as const
export type AccountAction = keyof typeof accountActions
