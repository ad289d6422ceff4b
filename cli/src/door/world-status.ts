import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '../record.ts'
import type { OperatorDoor } from './operator-door.ts'

const patienceMs = 5_000
const pollMs = 100

/** Waits until lists show what was ingested: ranking rounds come at most once a second. False if they lag behind still. */
export async function untilRanked(door: OperatorDoor): Promise<boolean> {
  const deadline = Date.now() + patienceMs
  while (!isRanked(await door.call('GET', '/status'))) {
    if (Date.now() > deadline) return false
    await sleep(pollMs)
  }
  return true
}

const isRanked = (status: unknown): boolean =>
  !isRecord(status) || Number(status.ranked_version) >= Number(status.world_version)
