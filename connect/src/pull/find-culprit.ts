import { randomUUID } from 'node:crypto'
import { commitLine } from '../batch-text.ts'
import type { Door } from '../door.ts'
import { sendBatch } from '../feed.ts'
import type { Item } from './round.ts'

/**
 * The line without which a batch would not be refused as a whole, where the service names none. Lines stand in the order in
 * which they build on each other, so that each beginning of the batch can be checked by itself. Undefined where there is none.
 */
export async function findCulprit(door: Door, items: Item[]): Promise<Item | undefined> {
  const lines = items.filter(({ op }) => op !== 'snapshot')
  const isRefused = async (count: number) => {
    const some = lines.slice(0, count).map(({ line }) => line)
    const outcome = await sendBatch(door, [...some, commitLine(randomUUID())], { isCheck: true })
    return outcome.status === 'refused' && outcome.refused.some(({ line }) => line === 0)
  }
  if (!(await isRefused(lines.length))) return undefined
  let [good, bad] = [0, lines.length]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (await isRefused(middle)) bad = middle
    else good = middle
  }
  return lines[bad - 1]
}
