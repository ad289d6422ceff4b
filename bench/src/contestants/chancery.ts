import { type Served, serve } from '../served.ts'
import type { Contestant } from './contestant.ts'

/** As in production, with all of it: keys, limits, journal, entity tags, metrics, webhooks. Only the limits are out of reach. */
export const callsMax = 999_999_999

export interface ChanceryOrder {
  databaseUrl: string
  /** Limits over all processes; without, in memory. */
  redisUrl?: string
  env?: Record<string, string>
}

/** A process of the service on the servers' core. */
export const serveOn = ({ databaseUrl, redisUrl, env = {} }: ChanceryOrder): Promise<Served> =>
  serve(
    {
      CHANCERY_DATABASE_URL: databaseUrl,
      CHANCERY_ANONYMOUS_LIMIT: String(callsMax),
      ...(redisUrl === undefined ? {} : { CHANCERY_VALKEY_URL: redisUrl }),
      ...env,
    },
    'server',
  )

/** One process, which is asked with keys and without. */
export async function startChancery(order: ChanceryOrder): Promise<Contestant[]> {
  const served = await serveOn(order)
  const id = order.redisUrl === undefined ? 'chancery' : 'chancery-redis'
  const where = order.redisUrl === undefined ? '' : ', Redis'
  const part = { url: served.publicUrl, pid: served.pid }
  return [
    { ...part, id, title: `Chancery${where}`, close: served.close },
    { ...part, id: `${id}-keys`, title: `Chancery, keys${where}`, close: async () => undefined },
  ]
}
