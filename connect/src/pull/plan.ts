import type { FactResource } from '@chancery/contract'
import { ConnectError } from '../errors.ts'
import { viewName } from './columns.ts'
import {
  type Difference,
  differenceOf,
  type HeldBack,
  heldBackOf,
  type KnownView,
  type KnownViews,
  refuseDrift,
} from './known-view.ts'
import type { ReadView, UnreadableView, ViewReader } from './read-views.ts'
import { deleteLine, type Item } from './round.ts'

/** What is to be said of one view. */
export interface ViewPlan {
  view: ReadView
  /** Undefined where it is not known what the service has of it. */
  known: KnownView | undefined
  /** The service gets all rows as a snapshot: what is not among them is gone. */
  isWhole: boolean
  /** Deletions that are left out of the round. Of a snapshot, the service decides. */
  heldBack: HeldBack | undefined
  /** Rows that go from it stay in the world. */
  isKept: boolean
  items: Item[]
}

export interface RoundPlan {
  views: ViewPlan[]
  unreadable: UnreadableView[]
  strangers: string[]
}

export interface PlanOptions {
  schema: string
  known: KnownViews
  /** Resources whose things stay in the world when their rows go: games clear away old wars and battles. */
  keeps: ReadonlySet<FactResource>
  allowsDeletes: boolean
  /** Try the rows that are set aside also where nothing else has changed. */
  retries: boolean
  /** How long after a refused snapshot the next one is tried. */
  retryMs: number
}

/** Reads the views and says what has changed. Throws a ConnectError where that is taken for a mistake. */
export async function planRound(reader: ViewReader, options: PlanOptions): Promise<RoundPlan> {
  const { known } = options
  const { resources, strangers } = await reader.find()
  for (const resource of known.keys()) {
    if (!resources.includes(resource)) throw lostView(viewName(options.schema, resource))
  }
  const unreadable: UnreadableView[] = []
  const differences = []
  for (const resource of resources) {
    const view = await reader.read(resource)
    if ('reason' in view) unreadable.push(view)
    else differences.push({ view, ...against(view, known.get(resource), options) })
  }

  const hasNews = differences.some(
    ({ isWhole, changed, gone }) => isWhole || changed.length > 0 || gone.length > 0,
  )
  const views: ViewPlan[] = []
  for (const { changed, gone, ...plan } of differences) {
    const { view, known, isWhole } = plan
    const items = await putsOf(reader, view, changed)
    items.push(...gone.map(key => deletion(view.resource, key)))
    if (known && !isWhole && (hasNews || options.retries)) items.push(...asideItems(view, known))
    views.push({ ...plan, isKept: options.keeps.has(view.resource), items })
  }
  return { views, unreadable, strangers }
}

function against(
  view: ReadView,
  known: KnownView | undefined,
  { keeps, allowsDeletes, retryMs }: PlanOptions,
): Difference & Pick<ViewPlan, 'known' | 'isWhole' | 'heldBack'> {
  if (known) refuseDrift(view, known)
  const { refusedSnapshot } = known ?? {}
  if (!known || (refusedSnapshot && performance.now() - refusedSnapshot.atMs >= retryMs)) {
    const changed = [...view.hashes.keys()].filter(key => !view.doubled.has(key))
    return { known, isWhole: true, changed, gone: [], heldBack: undefined }
  }
  const { changed, gone } = differenceOf(view, known)
  if (keeps.has(view.resource)) return { known, isWhole: false, changed, gone: [], heldBack: undefined }
  const heldBack = allowsDeletes ? undefined : heldBackOf(view, known, gone.length)
  return {
    known,
    isWhole: false,
    changed,
    gone: heldBack ? [] : gone,
    heldBack: heldBack ?? refusedSnapshot,
  }
}

/** By view, the deletions that a plan leaves out. */
export const plannedHeldBack = ({ views }: Pick<RoundPlan, 'views'>): Map<FactResource, HeldBack> =>
  new Map(views.flatMap(({ view, heldBack }) => (heldBack ? [[view.resource, heldBack]] : [])))

async function putsOf(reader: ViewReader, view: ReadView, keys: string[]): Promise<Item[]> {
  const lines = await reader.putLines(view, keys)
  return keys.flatMap(key => {
    const line = lines.get(key)
    const hash = view.hashes.get(key)
    return line === undefined || hash === undefined
      ? []
      : [{ op: 'put' as const, resource: view.resource, key, hash, line }]
  })
}

const deletion = (resource: FactResource, key: string): Item => ({
  op: 'delete',
  resource,
  key,
  hash: '',
  line: deleteLine(resource, key),
})

/** What else is said in this batch may be what they lacked. */
function asideItems(view: ReadView, known: KnownView): Item[] {
  return [...known.aside]
    .filter(([key, { hash }]) => view.hashes.get(key) === hash)
    .map(([key, { hash, line }]) => ({ op: 'put', resource: view.resource, key, hash, line }))
}

const lostView = (name: string) =>
  new ConnectError(
    `${name} is gone: nothing of this round was sent. Bring it back, or start chancery pull again if it is meant`,
  )
