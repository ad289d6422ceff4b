import { decimalMax, type PublicOf, type ResourceOf, toExactDecimal } from '@chancery/contract'
import type { Batch, Change } from '../../ingest/batch.ts'
import {
  deletionsOf,
  type EntityStore,
  mergeChanges,
  recreatedOf,
  type Transition,
} from '../../ingest/changes.ts'
import { createTableStore } from '../../ingest/entity-store.ts'
import { deletePriceHistory, recordPrices } from './history.ts'

type MarketPrice = PublicOf<ResourceOf<'market_price'>> & {
  reference_price: number
  reference_at: string
  /** The reference price of a change that is large enough for an event. */
  moved_from?: number | undefined
}

const dayMs = 86_400_000
const movedPercent = 10

const store: EntityStore<MarketPrice> = {
  ...createTableStore<MarketPrice>('market_price', 'chancery_world.market_price', {
    more: ['reference_price', 'reference_at'],
  }),
  /** A move is measured from the price of the last event; if that is over a day old, from the previous price. */
  adjust(_batch, after, before) {
    after.moved_from = undefined
    if (!before) return setReference(after)
    const isFresh = Date.parse(after.as_of) - Date.parse(before.reference_at) <= dayMs
    const reference = isFresh ? before.reference_price : before.price
    const hasMoved = Math.abs(changePercent(reference, after.price)) >= movedPercent
    if (hasMoved) after.moved_from = reference
    if (hasMoved || !isFresh) setReference(after)
  },
}

function setReference(row: MarketPrice): void {
  row.reference_price = row.price
  row.reference_at = row.as_of
}

const changePercent = (from: number, to: number) =>
  from === 0 ? 0 : Math.min(decimalMax, toExactDecimal(((to - from) / from) * 100, 4))

/** Applies facts about market prices. */
export async function applyMarket(batch: Batch, changes: Change[]): Promise<void> {
  const transitions = await mergeChanges(batch, store, changes)
  await recordHistory(batch, transitions)
  for (const { line, after } of transitions) {
    if (after?.moved_from === undefined) continue
    const { resource, currency, price, moved_from, as_of } = after
    const change_percent = changePercent(moved_from, price)
    batch.emit(
      'market.price_moved',
      { line, at: as_of },
      { resource, currency, price, reference_price: moved_from, change_percent },
    )
  }
}

/** A price that was deleted has no history; one that was put again begins anew. */
async function recordHistory({ db }: Batch, transitions: Transition<MarketPrice>[]): Promise<void> {
  const deleted = deletionsOf(transitions).map(({ key }) => key)
  await deletePriceHistory(db, [...deleted, ...recreatedOf(transitions)])
  const lastDeletion = new Map(
    transitions.flatMap(({ key, after }, index) => (after === undefined ? [[key, index] as const] : [])),
  )
  await recordPrices(
    db,
    transitions.flatMap(({ key, after }, index) =>
      after && index > (lastDeletion.get(key) ?? -1) ? [after] : [],
    ),
  )
}
