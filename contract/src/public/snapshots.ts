import type { Static } from 'typebox'
import { listedResources } from '../resources/change.ts'
import { count, enumOf, listOf, position, strictObject, text, time } from '../shared-schemas.ts'
import type { ErrorCode } from './errors.ts'

/** Where snapshots are, beside the API: `latest.json` is the manifest of the newest one, `index.json` lists the manifests of all. */
export const snapshotsPath = '/downloads/world'

/** Errors of downloads, besides those of operations. */
export const snapshotErrors: readonly ErrorCode[] = ['range_not_satisfiable']

const snapshotFile = strictObject({
  resource: text(64, {
    description: `What the lines are: items as in lists of the API, one JSON object each. At present: ${listedResources.join(', ')}; \`event\` are the events since the snapshot before.`,
  }),
  path: text(200, { description: 'Path of the file on this service: gzip of lines (NDJSON).' }),
  bytes: count({ description: 'Size of the file.' }),
  sha256: text(64, { description: 'SHA-256 of the file, in hexadecimal digits; also its ETag.' }),
  rows: count({ description: 'Number of lines.' }),
})

/** The manifest of a snapshot: all items of the world at one moment. */
export const snapshotManifest = strictObject({
  id: text(64),
  created_at: time({ description: 'When it was made. All files are of this moment.' }),
  reason: enumOf(['daily', 'era_end', 'renewed'], {
    description:
      '`daily`; `era_end`: the last state of an era; `renewed`: earlier snapshots were withdrawn, because texts were removed or the game has other terms.',
  }),
  change_seq: position({
    description: 'The newest change that it contains: `/changes?after=` this number has all later ones.',
  }),
  event_seq: count({ description: 'The number of the newest event.' }),
  files: listOf(snapshotFile),
})
export type SnapshotManifest = Static<typeof snapshotManifest>
