import type { JournaledCall, KeyUsage } from '@chancery/contract'
import type { Journal } from './journal.ts'
import { type CallsWanted, callsOfKeys, callsToday, usageOfKey } from './usage.ts'

/** What players see of the calls with their keys. Whose the keys are is for the caller to know. */
export interface AccountJournal {
  /** Calls of each key since midnight (UTC); 0 for a key that did not call. */
  callsToday(keyIds: string[]): Promise<Map<string, number>>
  usage(keyId: string): Promise<KeyUsage>
  /** The latest calls, newest first; of one request where its id is given. */
  calls(wanted: CallsWanted): Promise<Omit<JournaledCall, 'key_name'>[]>
}

export function createAccountJournal({ read }: Pick<Journal, 'read'>): AccountJournal {
  return {
    callsToday: keyIds => read((db, nowMs) => callsToday(db, keyIds, nowMs)),
    usage: keyId => read((db, nowMs) => usageOfKey(db, keyId, nowMs)),
    calls: wanted => read(db => callsOfKeys(db, wanted)),
  }
}
