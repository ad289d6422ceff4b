import type { KeyUsage, LoggedCall } from '@chancery/contract'

/** Which calls are looked for, over all of these keys: newest first, at most `limit`. */
export interface CallFilter {
  keyIds: string[]
  requestId?: string
  limit: number
}

/** What the developer settings ask of the request journal. */
export interface AccountUsage {
  /** Calls since midnight in UTC by the key's id. Keys that made none may be missing. */
  callsToday(keyIds: string[]): Promise<Map<string, number>>
  usage(keyId: string): Promise<KeyUsage>
  calls(filter: CallFilter): Promise<Omit<LoggedCall, 'key_name'>[]>
}
