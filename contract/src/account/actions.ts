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
} as const
export type AccountAction = keyof typeof accountActions
