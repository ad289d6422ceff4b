import { deletesMax, type FactResource, type SnapshotGaps } from '@chancery/contract'
import { ConnectError } from '../errors.ts'
import type { ReadView } from './read-views.ts'
import { isKey } from './round.ts'

/** A row that the service refuses: it waits until it could be taken. */
export interface AsideRow {
  hash: string
  line: string
  /** The refused batch under which the operator finds it; null where the service never saw it alone. */
  keptAs: string | null
}

/** What the service was told of one view. */
export interface KnownView {
  columns: { name: string; type: string }[]
  /** By key, the hash of the row that was told last. */
  hashes: Map<string, string>
  aside: Map<string, AsideRow>
  /** A snapshot that the service refused for what it leaves out, and when by this machine's clock: it is tried again. */
  refusedSnapshot?: HeldBack & { atMs: number }
}

/** So many rows are gone that it is taken for a mistake: they are deleted when the operator allows it, or when fewer are gone. */
export type HeldBack = SnapshotGaps

/** How a view differs from what was told of it. */
export interface Difference {
  changed: string[]
  gone: string[]
}

/** What changed since, also by a new column; rows that are set aside as they are now are not among it. */
export function differenceOf(view: ReadView, known: KnownView): Difference {
  const changed: string[] = []
  for (const [key, hash] of view.hashes) {
    if (view.doubled.has(key)) continue
    const isAside = known.aside.get(key)?.hash === hash
    if (!isAside && known.hashes.get(key) !== hash) changed.push(key)
  }
  // Of a row that was set aside, the service may know an older version, told by an earlier puller.
  const told = new Set([...known.hashes.keys(), ...[...known.aside.keys()].filter(isKey)])
  return { changed, gone: [...told].filter(key => !view.hashes.has(key)) }
}

/** Throws a ConnectError where a column has gone or has another type: the view was changed under the puller's feet. */
export function refuseDrift(view: ReadView, known: KnownView): void {
  for (const { name, type } of known.columns) {
    const now = view.columns.find(column => column.name === name)
    if (!now)
      throw new ConnectError(
        `${view.name} has lost its column ${name}: nothing of this round was sent. Bring it back, or start chancery pull again if it is meant`,
      )
    if (now.type !== type)
      throw new ConnectError(
        `${view.name}: the column ${name} was ${type} and is ${now.type}: nothing of this round was sent. Cast it in the view, or start chancery pull again if it is meant`,
      )
  }
}

/** Undefined where so few rows are gone that they are deleted. */
export function heldBackOf(
  view: ReadView,
  { hashes, aside }: KnownView,
  missing: number,
): HeldBack | undefined {
  const of = new Set([...hashes.keys(), ...aside.keys()]).size
  return missing > deletesMax(view.resource, of) ? { missing: missing, total: of } : undefined
}

export const heldBackText = (view: string, { missing: gone, total: of }: HeldBack) =>
  `${view} lacks ${gone === null ? 'an unknown number of' : `${gone} of ${of}`} rows that were there: that is taken for a mistake, and their deletion is held back. If they are meant to go, stop this pull and run chancery pull --allow-deletes once`

export const columnsOf = ({ columns }: Pick<ReadView, 'columns'>): KnownView['columns'] =>
  columns.map(({ name, type }) => ({ name, type }))

export type KnownViews = Map<FactResource, KnownView>
