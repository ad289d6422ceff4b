import type { FactResource } from './contract.ts'

/** Rows that are deleted in bulk in normal operation: a disbanded alliance removes its members and treaties. */
const relations: ReadonlySet<FactResource> = new Set(['alliance_member', 'alliance_application', 'treaty'])

/**
 * The number of rows of a resource that one snapshot may delete: a tenth, but at least one, and at least twenty of relations. Above
 * that the snapshot is rejected: a view that is empty by accident must not delete a world.
 */
export function deletesMax(resource: FactResource, rows: number): number {
  return Math.max(Math.floor(rows / 10), relations.has(resource) ? 20 : 1)
}

/** How many rows a rejected snapshot omits, and of how many. Null for callers without the role `admin`. */
export interface SnapshotGaps {
  missing: number | null
  total: number | null
}

const gapsText = ({ missing, total }: SnapshotGaps) =>
  `the snapshot omits ${missing === null ? 'too many' : `${missing} of ${total}`} rows of `
const gapsPattern = /^the snapshot omits (?:too many|(\d+) of (\d+)) rows of /

/** The reason for rejecting a snapshot that omits more than `deletesMax`. `snapshotGapsIn` parses it. */
export const snapshotGapsReason = (resource: FactResource, gaps: SnapshotGaps): string =>
  `${gapsText(gaps)}${resource}: deleting more than a tenth requires allow_deletes: true`

/** The numbers in the reason above; undefined for any other reason. */
export function snapshotGapsIn(reason: string): SnapshotGaps | undefined {
  const found = gapsPattern.exec(reason)
  if (!found) return undefined
  const [, gone, of] = found
  return gone === undefined || of === undefined
    ? { missing: null, total: null }
    : { missing: Number(gone), total: Number(of) }
}

/** Removes the numbers from the reason above; returns any other reason unchanged. */
export const withoutSnapshotCounts = (reason: string): string =>
  reason.replace(gapsPattern, gapsText({ missing: null, total: null }))
