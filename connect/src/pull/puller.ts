import type { Contract, FactResource } from '@chancery/contract'
import type { Door } from '../door.ts'
import { ConnectError, Overtaken } from '../errors.ts'
import { lastBatchOf } from '../feed.ts'
import type { GameDatabase } from '../game-database.ts'
import { dropKept, dropStale, keepAlone } from './aside.ts'
import { complaintsOf, heldBackTexts } from './complaints.ts'
import type { KnownViews } from './known-view.ts'
import { plannedHeldBack, planRound, type RoundPlan } from './plan.ts'
import { ViewReader } from './read-views.ts'
import type { Item, RefusedItem } from './round.ts'
import { type RoundReport, roundReport } from './round-report.ts'
import { type SentRound, sendRound } from './send-round.ts'
import { takeNote, tidyAside } from './take-note.ts'

export interface PullerOptions {
  contract: Contract
  door: Door
  /** The schema of the views. */
  schema: string
  feed: string
  /** Resources whose things stay in the world when their rows go. Default: none. */
  keeps?: ReadonlySet<FactResource>
  /** Any number of rows may be gone in the first round that is applied. */
  allowsDeletes: boolean
  /** How often rows that are set aside are tried, and the service is asked where it stands, while nothing changes. Default: a minute. */
  retryMs?: number
  say(message: string): void
}

const usualRetryMs = 60_000

/** Reads the views of a game and tells the service what has changed since it was told last. */
export class Puller {
  readonly #options: PullerOptions
  #known: KnownViews = new Map()
  /** The batch of the feed that was applied last; undefined where that is not known. */
  #after: string | null | undefined
  #allowsDeletes: boolean
  #triedAt = 0
  /** What was said last of the views that cannot be read, and of rows without a key. */
  #complaints = new Set<string>()
  /** By the name of a view whose deletions are held back, what was said of them last, and when. */
  #heldBack = new Map<string, { text: string; atMs: number }>()

  constructor(options: PullerOptions) {
    this.#options = options
    this.#allowsDeletes = options.allowsDeletes
  }

  /** From now on nothing is known of what the service was told: the next round tells all. */
  forget(): void {
    this.#known = new Map()
    this.#after = undefined
  }

  /** Whether deletions were left out of the last round. */
  get holdsBack(): boolean {
    return this.#heldBack.size > 0
  }

  /** Undefined where nothing has changed. Throws as the game's database and the door do, Overtaken, and ConnectError. */
  async round(db: GameDatabase): Promise<RoundReport | undefined> {
    const { contract, door, schema, feed, keeps = new Set(), retryMs = usualRetryMs } = this.#options
    // Asked before the world is looked at: whoever is overtaken after that has looked too early.
    const after = this.#after === undefined ? await lastBatchOf(door, feed) : this.#after
    this.#after = after
    const reader = new ViewReader(db, contract, schema)
    const retries = performance.now() - this.#triedAt >= retryMs
    const plan = await reader.inSnapshot(() =>
      planRound(reader, {
        schema,
        known: this.#known,
        keeps,
        allowsDeletes: this.#allowsDeletes,
        retries,
        retryMs,
      }),
    )
    this.#complain(plan)
    const isQuiet = plan.views.every(({ isWhole, items }) => !isWhole && items.length === 0)
    if (!isQuiet || retries) this.#triedAt = performance.now()
    try {
      if (!isQuiet) return await this.#tell(plan, after)
      // A service that was restored from a backup has gone back: it is told all, also where nothing changes any more.
      if (retries && (await lastBatchOf(door, feed)) !== after)
        throw new Overtaken('its feed stands elsewhere')
      await this.#dropKept(tidyAside(this.#known, plan))
      this.#reportHeldBack(plan, { heldBack: plannedHeldBack(plan) })
      return undefined
    } catch (err) {
      this.forget()
      throw err
    }
  }

  async #tell(plan: RoundPlan, after: string | null): Promise<RoundReport | undefined> {
    const { door, feed } = this.#options
    const isFirst = this.#known.size === 0
    const sent = await sendRound(door, plan, {
      feed,
      after,
      allowsDeletes: this.#allowsDeletes,
      isCheck: false,
    })
    const { outcome, refused } = sent
    if (outcome && outcome.status !== 'applied')
      throw new ConnectError(`the service answered ${outcome.status} to batch ${outcome.batch}`)
    this.#reportHeldBack(plan, sent)
    const report = roundReport(feed, plan, sent)
    this.#allowsDeletes = false
    if (outcome) this.#after = outcome.batch
    const dropped: string[] = []
    for (const view of plan.views) dropped.push(...takeNote(this.#known, view, sent))
    await this.#dropKept([...dropped, ...tidyAside(this.#known, plan)])
    await this.#keepRefused(refused)
    if (isFirst) await dropStale(door, feed, this.#keptIds())
    return outcome || report.refused.length > 0 ? report : undefined
  }

  /** Rows that were refused among others are sent alone: so the operator finds each, with its reason. */
  async #keepRefused(refused: Map<Item, RefusedItem>): Promise<void> {
    const { door, feed } = this.#options
    for (const { op, resource, key, hash, line } of refused.values()) {
      const known = this.#known.get(resource)
      const row = known?.aside.get(key)
      if (op === 'put' && row?.keptAs !== null) continue
      const { id, isApplied } = await keepAlone(door, line, { name: feed, after: this.#after ?? null })
      if (isApplied) {
        this.#after = id
        if (op === 'put') known?.hashes.set(key, hash)
        known?.aside.delete(key)
      } else if (row) row.keptAs = id
    }
  }

  async #dropKept(ids: string[]): Promise<void> {
    for (const id of ids) await dropKept(this.#options.door, id)
  }

  #keptIds(): Set<string> {
    const rows = [...this.#known.values()].flatMap(({ aside }) => [...aside.values()])
    return new Set(rows.flatMap(({ keptAs }) => keptAs ?? []))
  }

  /** Says which deletions are held back, again after a while, and once that it is over. */
  #reportHeldBack(plan: RoundPlan, sent: Pick<SentRound, 'heldBack'>): void {
    const { say, retryMs = usualRetryMs } = this.#options
    const texts = heldBackTexts(plan, sent)
    const nowMs = performance.now()
    for (const [view, text] of texts) {
      const said = this.#heldBack.get(view)
      if (said?.text === text && nowMs - said.atMs < retryMs) continue
      say(text)
      this.#heldBack.set(view, { text, atMs: nowMs })
    }
    for (const { view } of plan.views)
      if (!texts.has(view.name) && this.#heldBack.delete(view.name)) say(`over: ${view.name} lacks rows`)
  }

  /** Says once what is wrong with the views, and once that it is over. */
  #complain(plan: RoundPlan): void {
    const { schema, say } = this.#options
    const now = new Set(complaintsOf(plan, schema))
    for (const complaint of now) if (!this.#complaints.has(complaint)) say(complaint)
    for (const complaint of this.#complaints) if (!now.has(complaint)) say(`over: ${complaint}`)
    this.#complaints = now
  }
}
