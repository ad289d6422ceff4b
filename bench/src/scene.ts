import { sql } from '../../server/src/store/database.ts'
import { startBare } from './contestants/bare.ts'
import { callsMax, startChancery } from './contestants/chancery.ts'
import { startChild } from './contestants/child.ts'
import type { Contestant } from './contestants/contestant.ts'
import { type ServedFile, startNginx } from './contestants/nginx.ts'
import { startPeers } from './contestants/peers/start.ts'
import { exchange, headerOf } from './exchange.ts'
import { versionOf } from './installed.ts'
import { startRedis } from './redis.ts'
import { type Served, serve } from './served.ts'
import { type Work, worksFor } from './work.ts'
import { type BenchDatabase, startDatabase } from './world/database.ts'
import { makeKeys } from './world/keys.ts'
import { loadWorld } from './world/load-world.ts'
import { findSubjects, type Subjects } from './world/subjects.ts'

const worldSize = { nations: 12_000, days: 10 }

/** Everything that a run needs, started: the world, and whoever is asked about it. */
export interface Scene {
  database: BenchDatabase
  /** The game's own door: a process that nobody else asks, on the core of the load. */
  door: Served
  subjects: Subjects
  keys: string[]
  works: Work[]
  contestants: Map<string, Contestant>
  leftOut: { title: string; why: string }[]
  close(): Promise<void>
}

export async function setScene({
  peers,
  say,
}: {
  peers: boolean
  say: (text: string) => void
}): Promise<Scene> {
  const closers: (() => Promise<void>)[] = []
  let closing: Promise<void> | undefined
  const closeAll = async () => {
    for (const closeOne of closers.reverse()) await closeOne()
  }
  /** Whoever asks for it again waits for the same. */
  const close = () => {
    closing ??= closeAll()
    return closing
  }
  const kept = <T extends { close(): Promise<void> }>(part: T): T => {
    closers.push(() => part.close())
    return part
  }
  try {
    const database = kept(await startDatabase())
    const door = kept(await serve({ CHANCERY_DATABASE_URL: database.url }, 'load'))
    say(`Loading a world of ${worldSize.nations} nations`)
    await loadWorld(door, worldSize)
    // Whoever orders nations by their scores has an index for it: Chancery itself reads them by places.
    await database.db.rows(sql`create index on chancery_world.nation (national_score desc, id)`)
    await database.db.rows(sql`vacuum analyze`)
    const subjects = await findSubjects(database.db)
    const keys = await makeKeys(door, subjects.players, callsMax)

    say('Starting everybody who is asked')
    const contestants = new Map<string, Contestant>()
    const add = (contestant: Contestant) => contestants.set(contestant.id, kept(contestant))
    const leftOut: Scene['leftOut'] = []
    const [first, ...others] = await startChancery({ databaseUrl: database.url })
    if (!first) throw new Error('Chancery has not started')
    for (const one of [first, ...others]) add(one)
    if (versionOf('redis-server', '--version') === undefined)
      leftOut.push({ title: 'Chancery, Redis', why: 'redis-server is not installed' })
    else {
      const redis = kept(await startRedis())
      for (const one of await startChancery({ databaseUrl: database.url, redisUrl: redis.url })) add(one)
    }
    add(await startBare('node'))
    add(await startBare('fastify'))
    add({
      id: 'plain',
      title: 'Fastify + pg',
      ...(await startChild('plain.ts', { databaseUrl: database.url })),
    })
    if (peers) for (const peer of await startPeers(await database.urlOfReader('chancery_public'))) add(peer)
    else leftOut.push({ title: 'Platformatic DB, PostGraphile', why: 'measured with --peers' })

    const etag = headerOf(await exchange(first.url, { path: '/api/v1/nations?page=1' }), 'etag') ?? ''
    const works = worksFor(subjects, etag)
    if (versionOf('nginx', '-v') === undefined)
      leftOut.push({ title: 'nginx from disk', why: 'nginx is not installed' })
    else {
      const files = await filesOf(first.url, works)
      for (const logs of [false, true]) add(await startNginx(files, { logs }))
    }
    return { database, door, subjects, keys, works, contestants, leftOut, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What nginx finds on the disk: the bodies of Chancery's answers, as they are and compressed. */
async function filesOf(url: string, works: readonly Work[]): Promise<ServedFile[]> {
  const asks = works.filter(({ contestants }) => contestants.includes('nginx')).flatMap(work => work.asks)
  const paths = new Set(asks.map(({ path }) => path))
  return Promise.all(
    [...paths].map(async path => {
      const answer = await exchange(url, { path })
      const compressed = await exchange(url, { path, headers: { 'accept-encoding': 'gzip' } })
      const isCompressed = headerOf(compressed, 'content-encoding') === 'gzip'
      const [file = path] = path.split('?')
      return { path: file, answer, ...(isCompressed ? { compressed: compressed.body } : {}) }
    }),
  )
}
