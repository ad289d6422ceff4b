import { webhooks } from '@chancery/contract'
import type { Endpoint } from './endpoint-store.ts'

const failingMs = webhooks.failingDays * 86_400_000

/** When a spell of failures ends in the endpoint being switched off; null where none goes on. */
export const disablesAt = ({
  failing_since,
  status,
}: Pick<Endpoint, 'failing_since' | 'status'>): string | null =>
  failing_since === null || status !== 'active'
    ? null
    : new Date(Date.parse(failing_since) + failingMs).toISOString()
