import { deletesMax, type FactResource, type SnapshotGaps } from '@chancery/contract'
import { isKey } from './round.ts'
import { type ViewColumn, viewName } from './view-columns.ts'
import { overlay, type ReadView } from './view-reader.ts'

/** A row that the service rejects. It is sent again when it or something else changes. */
export interface QuarantinedRow {
  hash: string
  line: string
  /** Its batch in the dead-letter store; null if it was not sent alone yet. */
  keptAs: string | null
}

/** What the service has received of one view. */
export interface KnownView {
  columns: ViewColumn[]
  /** By key, the hash of the row that was sent last. */
  hashes: Map<string, string>
  quarantined: Map<string, QuarantinedRow>
  /** A snapshot that the service rejected because rows are missing, and when (monotonic clock). It is retried. */
  rejectedSnapshot?: HeldBackDeletes & { atMs: number }
}

/** Too many rows are missing to delete their items: the deletions wait until the operator allows them, or fewer rows are missing. */
export type HeldBackDeletes = SnapshotGaps

export type KnownViews = Map<FactResource, KnownView>

/** A view of which no row was read. */
export const unreadView = (schema: string, resource: FactResource, known: KnownView): ReadView => ({
  resource,
  name: viewName(schema, resource),
  columns: known.columns,
  hashes: overlay(known, new Set(), new Map()),
  readKeys: new Set(),
  duplicateKeys: new Set(),
  rowsWithoutKey: 0,
})

/** How a view differs from what was sent. */
export interface Difference {
  changed: string[]
  deleted: string[]
}

/** Changed and deleted keys, without rows that are quarantined as they are now. */
export function differenceOf(view: ReadView, known: KnownView): Difference {
  const changed: string[] = []
  for (const key of view.readKeys ?? view.hashes.keys()) {
    const hash = view.hashes.get(key)
    if (hash === undefined || view.duplicateKeys.has(key)) continue
    const isQuarantined = known.quarantined.get(key)?.hash === hash
    if (!isQuarantined && known.hashes.get(key) !== hash) changed.push(key)
  }
  if (view.readKeys) {
    const isSent = (key: string) => known.hashes.has(key) || (known.quarantined.has(key) && isKey(key))
    return { changed, deleted: [...view.readKeys].filter(key => isSent(key) && !view.hashes.has(key)) }
  }
  // An earlier puller may have sent an older version of a quarantined row.
  const sent = new Set([...known.hashes.keys(), ...[...known.quarantined.keys()].filter(isKey)])
  return { changed, deleted: [...sent].filter(key => !view.hashes.has(key)) }
}

/** What has changed of its known columns: the view was replaced while the puller runs. */
export function schemaDriftOf(view: ReadView, known: KnownView): string | undefined {
  for (const { name, type } of known.columns) {
    const now = view.columns.find(column => column.name === name)
    if (!now)
      return `it has lost its column ${name}. Restore it, or restart chancery pull if this is intended`
    if (now.type !== type)
      return `the column ${name} was ${type} and is ${now.type}. Cast it in the view, or restart chancery pull if this is intended`
  }
  return undefined
}

/** Undefined if few enough rows are missing to delete their items. */
export function heldBackOf(
  view: ReadView,
  { hashes, quarantined }: KnownView,
  missing: number,
): HeldBackDeletes | undefined {
  if (missing === 0) return undefined
  const total = new Set([...hashes.keys(), ...quarantined.keys()]).size
  return missing > deletesMax(view.resource, total) ? { missing, total } : undefined
}
