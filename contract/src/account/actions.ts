/** All actions in the account log, each with its description. */
export const accountActions = {
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'session.all_ended': 'Signed out everywhere',
  'code.created': 'Created a verification code',
  'code.cancelled': 'Cancelled a verification code',
  'key.created': 'Created a key',
  'key.rotated': 'Regenerated a key',
  'key.revoked': 'Revoked a key',
  'key.private_revoked': 'Revoked all keys with private scopes',
  'key.limit_asked': 'Requested a higher limit',
  'webhook.added': 'Added a webhook endpoint',
  'webhook.changed': 'Changed a webhook endpoint',
  'webhook.enabled': 'Enabled a webhook endpoint',
  'webhook.disabled': 'Disabled a webhook endpoint',
  'webhook.removed': 'Removed a webhook endpoint',
  'webhook.rotated': 'Regenerated a webhook secret',
  'webhook.replayed': 'Replayed deliveries',
  'operator.suspended': 'Your account was suspended',
  'operator.resumed': 'The suspension of your account was lifted',
  'operator.key_created': 'A key was created for you',
  'operator.key_limited': 'The rate limit of a key was set',
  'operator.key_revoked': 'A key was revoked',
  'operator.webhook_added': 'A webhook endpoint was added for you',
  'operator.webhook_enabled': 'A webhook endpoint was enabled',
  'operator.webhook_disabled': 'A webhook endpoint was disabled',
  'operator.webhook_removed': 'A webhook endpoint was removed',
  'operator.webhook_rotated': 'A webhook secret was regenerated',
  'operator.webhook_replayed': 'Deliveries were replayed',
} as const
export type AccountAction = keyof typeof accountActions

/** What the operator of the game did for the player: derived from the audit log of the operator API. */
export type OperatorAction = Extract<AccountAction, `operator.${string}`>
export type PlayerAction = Exclude<AccountAction, OperatorAction>
