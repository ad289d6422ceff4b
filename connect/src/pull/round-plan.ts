import type { FactResource } from '@chancery/contract'
import type { TouchedKey } from '../game-database/game-views.ts'
import {
  type Difference,
  differenceOf,
  type HeldBackDeletes,
  heldBackOf,
  type KnownView,
  type KnownViews,
  schemaDriftOf,
  unreadView,
} from './known-views.ts'
import { deleteLine, type RoundItem } from './round.ts'
import { viewName } from './view-columns.ts'
import type { ReadView, UnreadableView, ViewReader } from './view-reader.ts'

export interface RoundPlan {
  views: ViewPlan[]
  unreadable: UnreadableView[]
  /** Relations in the schema whose name is not a resource. */
  unknownRelations: string[]
  /** Undefined without the table of touched keys. */
  touched: TouchedKey[] | undefined
  /** The names in these keys that are of no view that was read. */
  unreadTouched: string[]
}

/** What is to be sent of one view. */
export interface ViewPlan {
  view: ReadView
  /** Undefined if the state of the service is unknown. */
  known: KnownView | undefined
  /** All rows are sent as a snapshot: items that are not in it are deleted. */
  isWhole: boolean
  /** Deletions that are left out of the round. For a snapshot, the service decides. */
  heldBack: HeldBackDeletes | undefined
  /** Items stay in the world when their rows disappear. */
  keepsRows: boolean
  items: RoundItem[]
}

export interface PlanOptions {
  schema: string
  known: KnownViews
  /** Resources that stay in the world when their rows disappear: games delete old wars and battles. */
  keptResources: ReadonlySet<FactResource>
  allowsDeletes: boolean
  /** Retry quarantined rows even if nothing else has changed. */
  retries: boolean
  /** How long after a rejected snapshot the next one is sent. */
  retryMs: number
}

/** Reads the views and plans what to send. */
export async function planRound(reader: ViewReader, options: PlanOptions): Promise<RoundPlan> {
  const { known } = options
  const { resources, unknownRelations, hasTouched } = await reader.find()
  // All rows are read: these keys are done with it.
  const touched = hasTouched ? await reader.touched(touchedMax) : undefined
  const unreadable = [...known.keys()]
    .filter(resource => !resources.includes(resource))
    .map(resource => missingView(resource, options.schema))
  const differences: DifferingView[] = []
  for (const resource of resources) {
    const state = known.get(resource)
    const view = withoutDrift(await reader.read(resource), state)
    if ('reason' in view) unreadable.push(view)
    else differences.push({ view, ...compare(view, state, options) })
  }

  const views = await planViews(reader, differences, options)
  return { views, unreadable, unknownRelations, touched, unreadTouched: unreadIn(touched, differences) }
}

/** A touched key that stands for all rows of its view. */
const allKeys = '*'
/** The most touched keys of a round. */
export const touchedMax = 20_000

/**
 * Reads the rows of touched keys, and plans what to send of them. Other rows stay as they are known. Quarantined rows of all views are
 * planned too: they may refer to what has changed.
 */
export async function planTouched(reader: ViewReader, options: PlanOptions): Promise<RoundPlan> {
  const { known, schema } = options
  const touched = await reader.touched(touchedMax)
  const keys = Map.groupBy(touched, ({ resource }) => resource)
  const unreadable: UnreadableView[] = []
  const differences: DifferingView[] = []
  for (const [resource, state] of known) {
    const ids = new Set(keys.get(resource)?.map(({ id }) => id))
    const some = ids.has(allKeys) ? undefined : { keys: ids, known: state }
    const view =
      ids.size > 0
        ? withoutDrift(await reader.read(resource, some), state)
        : unreadView(schema, resource, state)
    if ('reason' in view) unreadable.push(view)
    else differences.push({ view, ...compare(view, state, options) })
  }
  const views = await planViews(reader, differences, options)
  return { views, unreadable, unknownRelations: [], touched, unreadTouched: unreadIn(touched, differences) }
}

function unreadIn(touched: readonly TouchedKey[] = [], differences: readonly DifferingView[]): string[] {
  const read = new Set<string>(differences.map(({ view }) => view.resource))
  return [...new Set(touched.map(({ resource }) => resource))].filter(name => !read.has(name))
}

interface DifferingView extends Difference, Pick<ViewPlan, 'view' | 'known' | 'isWhole' | 'heldBack'> {}

async function planViews(
  reader: ViewReader,
  differences: DifferingView[],
  options: PlanOptions,
): Promise<ViewPlan[]> {
  const hasChanges = differences.some(
    ({ isWhole, changed, deleted }) => isWhole || changed.length > 0 || deleted.length > 0,
  )
  const views: ViewPlan[] = []
  for (const { changed, deleted, ...plan } of differences) {
    const { view, known, isWhole } = plan
    const items = await putsOf(reader, view, changed)
    items.push(...deleted.map(key => deletion(view.resource, key)))
    if (known && !isWhole && (hasChanges || options.retries)) items.push(...quarantinedItems(view, known))
    views.push({ ...plan, keepsRows: options.keptResources.has(view.resource), items })
  }
  return views
}

function compare(
  view: ReadView,
  known: KnownView | undefined,
  { keptResources, allowsDeletes, retryMs }: PlanOptions,
): Difference & Pick<ViewPlan, 'known' | 'isWhole' | 'heldBack'> {
  const { rejectedSnapshot } = known ?? {}
  const isDue = rejectedSnapshot && performance.now() - rejectedSnapshot.atMs >= retryMs
  if (!known || (isDue && !view.readKeys)) {
    const changed = [...view.hashes.keys()].filter(key => !view.duplicateKeys.has(key))
    return { known, isWhole: true, changed, deleted: [], heldBack: undefined }
  }
  const { changed, deleted } = differenceOf(view, known)
  if (keptResources.has(view.resource))
    return { known, isWhole: false, changed, deleted: [], heldBack: undefined }
  const heldBack = allowsDeletes ? undefined : heldBackOf(view, known, deleted.length)
  return {
    known,
    isWhole: false,
    changed,
    deleted: heldBack ? [] : deleted,
    heldBack: heldBack ?? rejectedSnapshot,
  }
}

async function putsOf(reader: ViewReader, view: ReadView, keys: string[]): Promise<RoundItem[]> {
  const lines = await reader.putLines(view, keys)
  return keys.flatMap(key => {
    const line = lines.get(key)
    const hash = view.hashes.get(key)
    return line === undefined || hash === undefined
      ? []
      : [{ op: 'put' as const, resource: view.resource, key, hash, line }]
  })
}

const deletion = (resource: FactResource, key: string): RoundItem => ({
  op: 'delete',
  resource,
  key,
  hash: '',
  line: deleteLine(resource, key),
})

/** Unchanged quarantined rows: this batch may bring the items that they refer to. */
function quarantinedItems(view: ReadView, known: KnownView): RoundItem[] {
  return [...known.quarantined]
    .filter(([key, { hash }]) => view.hashes.get(key) === hash)
    .map(([key, { hash, line }]) => ({ op: 'put', resource: view.resource, key, hash, line }))
}

const missingView = (resource: FactResource, schema: string): UnreadableView => ({
  resource,
  name: viewName(schema, resource),
  reason: 'it no longer exists. Restore it, or restart chancery pull if this is intended',
})

/** A view whose known columns have changed waits: this is taken for a mistake. */
function withoutDrift(
  view: ReadView | UnreadableView,
  known: KnownView | undefined,
): ReadView | UnreadableView {
  const reason = known && !('reason' in view) ? schemaDriftOf(view, known) : undefined
  return reason === undefined ? view : { resource: view.resource, name: view.name, reason }
}

/** By view, the deletions that a plan leaves out. */
export const plannedHeldBack = ({ views }: Pick<RoundPlan, 'views'>): Map<FactResource, HeldBackDeletes> =>
  new Map(views.flatMap(({ view, heldBack }) => (heldBack ? [[view.resource, heldBack]] : [])))

/** Problems of the views that do not stop the rest of the round, a sentence each. */
export function warningsOf({ views, unreadable, unknownRelations }: RoundPlan, schema: string): string[] {
  return [
    ...unreadable.map(({ name, reason }) => `${name} cannot be read and is skipped: ${reason}`),
    ...views.flatMap(({ view: { name, rowsWithoutKey: count, duplicateKeys } }) => [
      ...(count > 0
        ? [
            `${name}: ${count === 1 ? '1 row has no key and is' : `${count} rows have no key and are`} skipped`,
          ]
        : []),
      ...(duplicateKeys.size > 0
        ? [
            `${name}: several rows have the same key and are skipped (a join may multiply them): ${firstOf(duplicateKeys)}`,
          ]
        : []),
    ]),
    ...unknownRelations.map(name => `${schema}.${name} is not read: no resource has this name`),
  ]
}

/** By the name of a view, the message about deletions that are held back. */
export const heldBackTexts = (
  { views }: RoundPlan,
  { heldBack }: { heldBack: Map<FactResource, HeldBackDeletes> },
): Map<string, string> =>
  new Map(
    views.flatMap(({ view: { name, resource } }) => {
      const deletes = heldBack.get(resource)
      return deletes ? [[name, heldBackText(name, deletes)]] : []
    }),
  )

const heldBackText = (view: string, { missing, total }: HeldBackDeletes) =>
  `${view} lacks ${missing === null ? 'an unknown number of' : `${missing} of ${total}`} rows that it had before: deletions held back. If they are intended, stop this pull and run chancery pull --allow-deletes once`

const firstOf = (keys: Set<string>) => [...keys].slice(0, 5).join(', ') + (keys.size > 5 ? ', …' : '')
