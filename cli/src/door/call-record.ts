import { type Members, membersOf } from './members.ts'

/** A line of the request journal, as the operator listener tells it. */
export interface CallRecord {
  at: string
  operation: string
  status: number
  duration_ms: number
  /** The key that called; null where none did, and `address` says from where. */
  key_id: string | null
  key_name: string | null
  player_id: string | null
  address: string | null
}

/** Newest first. Throws a CommandError for what no Chancery says, as the readers below. */
export const readCalls = (answer: unknown): CallRecord[] =>
  membersOf(answer, 'a request').list('data').map(callOf)

function callOf({ text, textOrNull, number }: Members): CallRecord {
  return {
    at: text('at'),
    operation: text('operation'),
    status: number('status'),
    duration_ms: number('duration_ms'),
    key_id: textOrNull('key_id'),
    key_name: textOrNull('key_name'),
    player_id: textOrNull('player_id'),
    address: textOrNull('address'),
  }
}

/** How much somebody calls. */
export interface BusyRecord {
  calls: number
  limited: number
  refused: number
}

export interface BusyKeyRecord extends BusyRecord {
  key_id: string
  name: string | null
  player_id: string | null
  deprecated: number
  redemptions: number
}

export interface BusyAddressRecord extends BusyRecord {
  address: string
}

const busyOf = ({ number }: Members): BusyRecord => ({
  calls: number('calls'),
  limited: number('limited'),
  refused: number('refused'),
})

/** Most calls first, as below. */
export const readBusyKeys = (answer: unknown): BusyKeyRecord[] =>
  membersOf(answer, 'the usage of a key')
    .list('data')
    .map(members => ({
      ...busyOf(members),
      key_id: members.text('key_id'),
      name: members.textOrNull('name'),
      player_id: members.textOrNull('player_id'),
      deprecated: members.number('deprecated'),
      redemptions: members.number('redemptions'),
    }))

export const readBusyAddresses = (answer: unknown): BusyAddressRecord[] =>
  membersOf(answer, 'the usage of an address')
    .list('data')
    .map(members => ({ ...busyOf(members), address: members.text('address') }))
