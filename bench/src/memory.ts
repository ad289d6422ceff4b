import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from './ask.ts'
import { callsMax, serveOn } from './contestants/chancery.ts'
import { residentBytesOf } from './cpu-seconds.ts'
import { exchange } from './exchange.ts'
import type { MemoryResult } from './report/results.ts'
import { serve } from './served.ts'
import { startDatabase } from './world/database.ts'
import { makeKeys } from './world/keys.ts'
import { loadWorld } from './world/load-world.ts'
import { whileMoving } from './world/move-world.ts'
import { findSubjects, type Subjects } from './world/subjects.ts'
import { runWrk } from './wrk.ts'

const worldSize = { nations: 100_000, days: 2 }
const samplesEveryMs = 5_000
const connections = 32
/** So many of the requests hold some of every kind. */
const checkedMax = 400

/**
 * Watches what a process holds in memory that serves a world of 100,000 nations, while it is asked for all kinds of things and the
 * world goes on. The world comes in through another process. Undefined where the system does not tell.
 */
export async function measureMemory(
  minutes: number,
  say: (text: string) => void,
): Promise<MemoryResult | undefined> {
  const database = await startDatabase()
  try {
    const door = await serve({ CHANCERY_DATABASE_URL: database.url }, 'load')
    try {
      say(`Loading a world of ${worldSize.nations} nations`)
      await loadWorld(door, worldSize)
      const subjects = await findSubjects(database.db)
      const keys = await makeKeys(door, subjects.players, callsMax)
      const served = await serveOn({ databaseUrl: database.url })
      try {
        const asks = mixOf(subjects, keys)
        for (const ask of asks.slice(0, checkedMax)) await mustAnswer(served.publicUrl, ask)
        say(`Watching the memory of a process for ${minutes} minutes`)
        const load = runWrk({
          url: served.publicUrl,
          asks,
          connections,
          seconds: minutes * 60,
          allowsRefusals: true,
        })
        const watched = whileMoving(door, subjects.nations, () => watch(served.pid, load, say))
        const [{ requests, refused }, samples] = await Promise.all([load, watched])
        if (samples.length === 0) return undefined
        const { nations } = subjects.counts
        return { measuredAt: new Date().toISOString(), minutes, nations, requests, refused, samples }
      } finally {
        await served.close()
      }
    } finally {
      await door.close()
    }
  } finally {
    await database.close()
  }
}

/** Later some may be refused: searches have few connections. But what is asked for is there, all of it. */
async function mustAnswer(url: string, ask: Ask): Promise<void> {
  const { status, body } = await exchange(url, ask)
  if (status !== 200) throw new Error(`${ask.path} was answered with ${status}: ${body}`)
}

async function watch(
  pid: number,
  load: Promise<unknown>,
  say: (text: string) => void,
): Promise<MemoryResult['samples']> {
  const samples: MemoryResult['samples'] = []
  const startedMs = performance.now()
  const over = new AbortController()
  const end = () => over.abort()
  load.then(end, end)
  while (!over.signal.aborted) {
    const bytes = await residentBytesOf(pid)
    const second = Math.round((performance.now() - startedMs) / 1000)
    if (bytes !== undefined) {
      if (minuteOf(samples.at(-1)) < minuteOf({ second }))
        say(`  minute ${minuteOf({ second })}: ${(bytes / 1e6).toFixed(0)} MB`)
      samples.push({ second, bytes })
    }
    await sleep(samplesEveryMs, undefined, { signal: over.signal }).catch(() => undefined)
  }
  return samples
}

const minuteOf = (sample: { second: number } = { second: -1 }) => Math.floor(sample.second / 60)

/** Things of all kinds, well mixed: nations, pages, wars, events, own nations, and a few searches. */
function mixOf({ nations, atWar, names, eventKinds, counts }: Subjects, keys: string[]): Ask[] {
  const kinds = eventKinds.length
  return nations.flatMap((id, index) => {
    const asks: Ask[] = [{ path: `/api/v1/nations/${id}` }]
    if (index % 4 === 0) asks.push({ path: '/api/v1/nations?page=1' })
    if (index % 8 === 0)
      asks.push({ path: `/api/v1/nations?page=${1 + (index % Math.floor(counts.nations / 25))}` })
    if (index % 8 === 2)
      asks.push({ path: `/api/v1/wars?status=active&nation_id=${atWar[index % atWar.length] ?? id}` })
    if (index % 8 === 4)
      asks.push({ path: `/api/v1/events?type=${eventKinds[index % kinds]}&page=${1 + (index % 20)}` })
    if (index % 8 === 6)
      asks.push({
        path: '/api/v1/me/nation',
        headers: { authorization: `Bearer ${keys[index % keys.length]}` },
      })
    if (index % 100 === 0) asks.push({ path: `/api/v1/nations?search=${names[index % names.length]}` })
    return asks
  })
}
