import type { Ask } from './ask.ts'
import type { Contestant } from './contestants/contestant.ts'
import { cpuSecondsOfAll } from './cpu-seconds.ts'
import { runWrk } from './wrk.ts'

/** One turn of a contestant at a work. */
export interface Turn {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Processor time of the server for one call, and of the database; null where the system does not tell. */
  cpuMicroseconds: number | null
  databaseMicroseconds: number | null
  /** How busy the server's core was with it: far below 1, and something else held it up. */
  busy: number | null
}

export interface TurnOrder {
  contestant: Contestant
  asks: readonly Ask[]
  connections: number
  seconds: number
  databasePid: number
}

/** Asks one contestant for some seconds. */
export async function takeTurn(order: TurnOrder): Promise<Turn> {
  const { contestant, databasePid } = order
  const spent = () => Promise.all([contestant.pid, databasePid].map(cpuSecondsOfAll))
  const before = await spent()
  const startedMs = performance.now()
  const { requests, perSecond, p50Ms, p99Ms } = await runWrk({ url: contestant.url, ...order })
  const seconds = (performance.now() - startedMs) / 1000
  const after = await spent()
  const [server, database] = after.map((total, index) => {
    const start = before[index]
    return total === undefined || start === undefined ? null : total - start
  })
  const each = (total: number | null | undefined) =>
    total === null || total === undefined ? null : rounded((total * 1e6) / requests, 2)
  return {
    perSecond: rounded(perSecond, 1),
    p50Ms: rounded(p50Ms, 3),
    p99Ms: rounded(p99Ms, 3),
    cpuMicroseconds: each(server),
    databaseMicroseconds: each(database),
    busy: server === null || server === undefined ? null : rounded(server / seconds, 3),
  }
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
