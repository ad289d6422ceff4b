/** `bench snapshot`: what a snapshot of a world costs: time, size, memory of the process, and the latency of hot reads meanwhile. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SnapshotManifest, snapshotsPath } from '@chancery/contract'
import pg from 'pg'
import { startEmbedded } from '../../server/src/store/embedded/embedded-server.ts'
import { openWorld } from './growth/growth.ts'
import { runWrk } from './load.ts'
import { mean, quantile, residentBytesOf, today } from './machine.ts'
import { register, type Service, startService } from './servers.ts'

export interface SnapshotOptions {
  /** Folder that keeps the loaded worlds, as for `bench growth`. */
  worlds: string
  nations: number
  /** Length of a turn of the load. */
  seconds: number
}

const turnsBefore = 5

export async function measureSnapshot({ worlds, nations, seconds }: SnapshotOptions) {
  const home = join(worlds, String(nations))
  const dataDir = join(home, 'data')
  const env = { CHANCERY_DATA_DIR: dataDir, CHANCERY_LOG_LEVEL: 'error' }
  const loading = await startService(env)
  await openWorld(loading, home, nations)
  await untilSnapshot(loading)
  const without: Turn[] = []
  for (let turn = 0; turn < turnsBefore; turn += 1) without.push(await readHot(loading, seconds))
  await loading.close()

  await deleteSnapshots(dataDir)
  // A service without a snapshot of today makes one when it starts.
  const service = await startService(env)
  const startedMs = performance.now()
  const during: Turn[] = []
  const done = untilSnapshot(service).then(manifest => ({ manifest, ms: performance.now() - startedMs }))
  let made: Awaited<typeof done> | undefined
  done.then(
    result => {
      made = result
    },
    () => undefined,
  )
  while (made === undefined) during.push(await readHot(service, seconds))
  const { manifest, ms } = await done
  await service.close()
  // The last turn ends after the snapshot.
  const whole = during.length > 1 ? during.slice(0, -1) : during
  return {
    measuredOn: today(),
    nations,
    seconds: Math.round(ms / 1_000),
    rows: manifest.files.reduce((sum, { rows }) => sum + rows, 0),
    megabytes: Math.round(manifest.files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6),
    without: summaryOf(without),
    during: summaryOf(whole),
  }
}

interface Turn {
  perSecond: number
  p50Ms: number
  p99Ms: number
  residentBytes: number
}

/** A page that the response cache has, on eight connections. */
async function readHot(service: Service, seconds: number): Promise<Turn> {
  const requests = [{ path: '/api/v1/nations?limit=25' }]
  const { perSecond, p50Ms, p99Ms } = await runWrk({
    url: service.publicUrl,
    requests,
    connections: 8,
    seconds,
  })
  return { perSecond, p50Ms, p99Ms, residentBytes: await residentBytesOf(service.pid) }
}

const summaryOf = (turns: readonly Turn[]) => ({
  turns: turns.length,
  perSecond: Math.round(mean(turns.map(({ perSecond }) => perSecond))),
  p50Ms: quantile(
    turns.map(({ p50Ms }) => p50Ms),
    0.5,
  ),
  p99Ms: quantile(
    turns.map(({ p99Ms }) => p99Ms),
    0.5,
  ),
  p99MsMax: Math.max(...turns.map(({ p99Ms }) => p99Ms)),
  megabytesMax: Math.round(Math.max(...turns.map(({ residentBytes }) => residentBytes)) / 1e6),
})

async function untilSnapshot(service: Service): Promise<SnapshotManifest> {
  for (;;) {
    const response = await fetch(`${service.publicUrl}${snapshotsPath}/latest.json`)
    if (response.ok) return (await response.json()) as SnapshotManifest
    await response.body?.cancel()
    await sleep(500)
  }
}

async function deleteSnapshots(dataDir: string): Promise<void> {
  const server = register(await startEmbedded({ dataDir, log: () => undefined }))
  const db = new pg.Client(server.connection)
  await db.connect()
  await db.query('delete from chancery_world.snapshot_chunk')
  await db.query('delete from chancery_world.snapshot')
  await db.query('update chancery_world.pulse set snapshots_paused_until = null')
  await db.end()
  await server.close()
}
