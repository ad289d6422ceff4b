import { gunzipSync } from 'node:zlib'
import { type Contract, type SnapshotManifest, snapshotsPath } from '@chancery/contract'
import { makeSnapshot } from '../../src/snapshots/make-snapshot.ts'
import { createPool } from '../../src/store/database.ts'

/** Makes a snapshot of a database. */
export async function takeSnapshot(databaseUrl: string, contract: Contract): Promise<void> {
  const poolOf = (role: string) =>
    createPool({ target: { connectionString: databaseUrl }, role, connectionsMax: 2 })
  const [reads, writes] = [poolOf('chancery_public'), poolOf('chancery_ingest')]
  try {
    await makeSnapshot({ contract, reads, writes }, async () => 'daily')
  } finally {
    await Promise.all([reads.close(), writes.close()])
  }
}

/** The newest snapshot that a server offers: its manifest and the text of each file. */
export async function downloadSnapshot(
  url: string,
): Promise<{ manifest: SnapshotManifest; texts: Map<string, string> }> {
  const manifest = (await (await fetch(`${url}${snapshotsPath}/latest.json`)).json()) as SnapshotManifest
  const texts = new Map<string, string>()
  for (const { resource, path } of manifest.files) {
    const file = await (await fetch(url + path)).arrayBuffer()
    texts.set(resource, gunzipSync(file).toString())
  }
  return { manifest, texts }
}
