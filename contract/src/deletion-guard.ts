import type { FactResource } from './contract.ts'

/** Ties come and go by themselves, many at a time: an alliance that disbands takes its members and treaties with it. */
const ties: ReadonlySet<FactResource> = new Set(['alliance_member', 'alliance_application', 'treaty'])

/**
 * How many of so many things of a resource may be missing at once before that is taken for a mistake: a tenth. Of few things
 * one may go, and of ties twenty. A view that is empty by accident must not erase a world.
 */
export function deletesMax(resource: FactResource, things: number): number {
  return Math.max(Math.floor(things / 10), ties.has(resource) ? 20 : 1)
}

/** How many things a refused snapshot leaves out, and of how many. Null where the caller may not know: only `admin` learns it from a check. */
export interface SnapshotGaps {
  missing: number | null
  total: number | null
}

const gapsText = ({ missing, total }: SnapshotGaps) =>
  `the snapshot leaves out ${missing === null ? 'too many' : `${missing} of ${total}`} things of `
const gapsPattern = /^the snapshot leaves out (?:too many|(\d+) of (\d+)) things of /

/** Why a snapshot is refused that leaves out more than `deletesMax`. The other end recognises it by `snapshotGapsIn`. */
export const snapshotGapsReason = (resource: FactResource, gaps: SnapshotGaps): string =>
  `${gapsText(gaps)}${resource}: more than a tenth is taken for a mistake unless allow_deletes is true`

/** The numbers in the reason above; undefined where it is another reason. */
export function snapshotGapsIn(reason: string): SnapshotGaps | undefined {
  const found = gapsPattern.exec(reason)
  if (!found) return undefined
  const [, gone, of] = found
  return gone === undefined || of === undefined
    ? { missing: null, total: null }
    : { missing: Number(gone), total: Number(of) }
}

/** The same reason without its numbers; any other reason as it is. */
export const withoutSnapshotCounts = (reason: string): string =>
  reason.replace(gapsPattern, gapsText({ missing: null, total: null }))
