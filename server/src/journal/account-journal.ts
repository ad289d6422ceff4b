import type { AccountUsage } from '../account/journal-port.ts'
import type { RequestLog } from './request-log.ts'
import { callsOfKeys, callsToday, usageOfKey } from './usage.ts'

/** What players see of the calls with their keys. Whose the keys are is for the caller to know. */
export function createAccountUsage({ read }: Pick<RequestLog, 'read'>): AccountUsage {
  return {
    callsToday: keyIds => read((db, nowMs) => callsToday(db, keyIds, nowMs)),
    usage: keyId => read((db, nowMs) => usageOfKey(db, keyId, nowMs)),
    calls: wanted => read(db => callsOfKeys(db, wanted)),
  }
}
