/** All actions in the account log, each with its description. */
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
