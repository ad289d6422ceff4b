import type { AccountKey } from '@chancery/contract'
import { TimeOrNever } from '../ui/time-ago.tsx'

/** When a key was used. The time is written now and then, the count of the day at once. */
export const LastUsed = ({ of: { last_used_at, calls_today } }: { of: AccountKey }) =>
  last_used_at === null && calls_today > 0 ? 'Today' : <TimeOrNever time={last_used_at} />
