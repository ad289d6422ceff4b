import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '../record.ts'
import type { OperatorDoor } from './operator-door.ts'

const patienceMs = 5_000
const pollMs = 100

/** Waits until lists show the world as it is now: ranking rounds come at most once a second. False if they lag behind still. */
export async function untilRanked(door: OperatorDoor): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  let wanted: number | undefined
  for (;;) {
    const status = await door.call('GET', '/status')
    if (!isRecord(status)) return false
    // The world may go on meanwhile: that is not waited for.
    wanted ??= Number(status.world_version)
    if (Number(status.ranked_version) >= wanted) return true
    if (performance.now() > deadline) return false
    await sleep(pollMs)
  }
}
