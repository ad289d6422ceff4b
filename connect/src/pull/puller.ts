import { type Contract, type FactResource, factResources } from '@chancery/contract'
import { ConnectError, StaleFeedError } from '../errors.ts'
import { type GameViews, touchedTable } from '../game-database/game-views.ts'
import { openViews } from '../game-database/open-views.ts'
import type { SenderState } from '../heartbeat.ts'
import { type RunOptions, runWithRetry } from '../retry-loop.ts'
import { lastBatchOf, type ServiceClient } from '../service-client.ts'
import type { KnownViews } from './known-views.ts'
import { dropAbandoned, dropQuarantined, quarantineRow } from './quarantine.ts'
import type { RejectedItem, RoundItem } from './round.ts'
import {
  heldBackTexts,
  plannedHeldBack,
  planRound,
  planTouched,
  type RoundPlan,
  touchedMax,
  warningsOf,
} from './round-plan.ts'
import { commitState, type RoundReport, releaseChanged, roundReport } from './round-result.ts'
import { type SentRound, sendRound } from './send-round.ts'
import { ViewReader } from './view-reader.ts'

export interface PullerOptions {
  contract: Contract
  client: ServiceClient
  /** The schema of the views. */
  schema: string
  feed: string
  /** Resources that stay in the world when their rows disappear. Default: none. */
  keptResources?: ReadonlySet<FactResource>
  /** Allows any number of deletions in the first round that is applied. */
  allowsDeletes: boolean
  /** How often quarantined rows are retried and the feed position is verified while nothing changes. Default: a minute. */
  retryMs?: number
  /** How often all rows are read where the game has a table of touched keys. Default: ten minutes. */
  readAllMs?: number
  log(message: string): void
}

export interface RunPullOptions extends PullerOptions, RunOptions {
  report(round: RoundReport): void
}

/** Pulls until the signal, or once. Throws a ConnectError for errors that a retry cannot fix. */
export async function runPull(options: RunPullOptions): Promise<void> {
  const puller = new Puller(options)
  await runWithRetry({
    ...options,
    name: 'pull',
    lock: `pull ${options.schema}`,
    isReadOnly: true,
    open: openViews,
    reset: () => puller.reset(),
    state: () => puller.state(),
    async round(db) {
      const report = await puller.round(db)
      if (report) options.report(report)
      if (options.isOnce && puller.hasHeldBackDeletes)
        throw new ConnectError('deletions were held back; everything else was sent')
      if (options.isOnce && puller.hasUnreadableViews)
        throw new ConnectError('a view was skipped; everything else was sent')
      return puller.hasMoreTouched && !options.isOnce
    },
    pauseMs: () =>
      puller.readsTouched ? Math.min(touchedEveryMs, options.pacing.everyMs) : options.pacing.everyMs,
  })
}

const retryMsDefault = 60_000
const readAllMsDefault = 600_000
/** How often touched keys are read: they cost little. */
const touchedEveryMs = 1_000
const unknownTouchedMax = 100

/**
 * Reads the views of a game and sends what has changed since the last round that was applied. Where the triggers of the game write touched
 * keys, a round reads the rows of these keys alone, and all rows every ten minutes.
 *
 * A round is one batch that names the batch before it, so that a second puller of the feed gets StaleFeedError. Its state lives in
 * memory: after a start, an error or a stale feed, the next round sends a snapshot of every view.
 */
export class Puller {
  readonly #options: PullerOptions
  #known: KnownViews = new Map()
  /** The last batch of the feed that was applied; undefined if unknown. */
  #after: string | null | undefined
  #allowsDeletes: boolean
  #retriedAt = 0
  /** The warnings of the last round. */
  #warnings = new Set<string>()
  /** Whether the game has a table of touched keys; undefined before the first round. */
  #hasTouched: boolean | undefined
  #hasMoreTouched = false
  readonly #unknownTouched = new Set<string>()
  /** When all rows are read the next time (monotonic clock). */
  #readAllDueMs = 0
  #unreadable: RoundPlan['unreadable'] = []
  /** By the name of a view whose deletions are held back: the last message about it, and when it was logged. */
  #heldBack = new Map<string, { text: string; atMs: number }>()

  constructor(options: PullerOptions) {
    this.#options = options
    this.#allowsDeletes = options.allowsDeletes
  }

  /** Drops the state: the next round sends everything. */
  reset(): void {
    this.#known = new Map()
    this.#after = undefined
  }

  /** Whether the next round may read touched keys only. It reads all rows while a view cannot be read. */
  get readsTouched(): boolean {
    return this.#hasTouched === true && !this.hasUnreadableViews
  }

  /** Whether more touched keys wait than one round reads. */
  get hasMoreTouched(): boolean {
    return this.#hasMoreTouched
  }

  /** Whether deletions were left out of the last round. */
  get hasHeldBackDeletes(): boolean {
    return this.#heldBack.size > 0
  }

  /** Whether views could not be read, or have changed, when all rows were read. */
  get hasUnreadableViews(): boolean {
    return this.#unreadable.length > 0
  }

  /** Its rows and views, for heartbeats. */
  state(): SenderState {
    const known = [...this.#known.values()]
    const rows = known.reduce((count, { hashes }) => count + hashes.size, 0)
    return {
      rows: known.length === 0 ? null : rows,
      set_aside: known.reduce((count, { quarantined }) => count + quarantined.size, 0),
      waiting_views: [
        ...this.#unreadable.map(({ name, reason }) => ({ view: name, reason })),
        ...[...this.#heldBack].map(([view, { text }]) => ({ view, reason: text })),
      ],
    }
  }

  /** Undefined if nothing has changed. Throws errors of the game's database and the client, StaleFeedError, and ConnectError. */
  async round(views: GameViews): Promise<RoundReport | undefined> {
    const { contract, client, schema, feed, keptResources = new Set() } = this.#options
    const { retryMs = retryMsDefault, readAllMs = readAllMsDefault } = this.#options
    // Read before the views: if another sender advances the feed after this, the batch is rejected as stale.
    const after = this.#after === undefined ? await lastBatchOf(client, feed) : this.#after
    this.#after = after
    const reader = new ViewReader(views, contract, schema)
    const retries = performance.now() - this.#retriedAt >= retryMs
    const readsAll = !this.readsTouched || this.#known.size === 0 || performance.now() >= this.#readAllDueMs
    const planOptions = {
      schema,
      known: this.#known,
      keptResources,
      allowsDeletes: this.#allowsDeletes,
      retries,
      retryMs,
    }
    const plan = await reader.inSnapshot(() =>
      readsAll ? planRound(reader, planOptions) : planTouched(reader, planOptions),
    )
    if (readsAll) this.#noteViews(plan)
    this.#logUnreadTouched(plan)
    const isUnchanged = plan.views.every(({ isWhole, items }) => !isWhole && items.length === 0)
    if (!isUnchanged || retries) this.#retriedAt = performance.now()
    try {
      const report = isUnchanged ? undefined : await this.#send(plan, after)
      await this.#deleteTouched(views, plan)
      if (readsAll) this.#readAllDueMs = performance.now() + readAllMs
      // The keys of these views are deleted, so all rows have to be read: at once if a view has just become unreadable.
      if (plan.unreadTouched.some(name => factResources.includes(name as FactResource)))
        this.#readAllDueMs = Math.min(
          this.#readAllDueMs,
          plan.unreadable.length > 0 ? 0 : performance.now() + retryMs,
        )
      if (!isUnchanged) return report
      // A service that was restored from a backup has an older position: it needs everything again, even if nothing changes.
      if (retries && (await lastBatchOf(client, feed)) !== after)
        throw new StaleFeedError('the service has another position for this feed')
      await this.#dropQuarantined(releaseChanged(this.#known, plan))
      this.#logHeldBack(plan, { heldBack: plannedHeldBack(plan) })
      return undefined
    } catch (err) {
      this.reset()
      throw err
    }
  }

  /** What all rows have shown of the views. */
  #noteViews(plan: RoundPlan): void {
    this.#logWarnings(plan)
    this.#unreadable = plan.unreadable
    this.#hasTouched = plan.touched !== undefined
  }

  #logUnreadTouched({ unreadTouched, unreadable }: RoundPlan): void {
    const { schema, log } = this.#options
    for (const name of unreadTouched) {
      if (unreadable.some(({ resource }) => resource === name)) continue
      if (this.#unknownTouched.has(name) || this.#unknownTouched.size >= unknownTouchedMax) continue
      this.#unknownTouched.add(name)
      log(
        `${schema}.${touchedTable} has keys of ${JSON.stringify(name)}, which is no view that is read: they are deleted`,
      )
    }
  }

  /** After their rows were sent: a crash before only repeats them. */
  async #deleteTouched(views: GameViews, { touched = [] }: RoundPlan): Promise<void> {
    this.#hasMoreTouched = touched.length === touchedMax
    if (touched.length > 0)
      await views.deleteTouched(
        this.#options.schema,
        touched.map(({ number }) => number),
      )
  }

  async #send(plan: RoundPlan, after: string | null): Promise<RoundReport | undefined> {
    const { client, feed } = this.#options
    const isFirst = this.#known.size === 0
    const sent = await sendRound(client, plan, {
      feed,
      after,
      allowsDeletes: this.#allowsDeletes,
      isCheck: false,
    })
    const { outcome, rejected } = sent
    if (outcome && outcome.status !== 'applied')
      throw new ConnectError(`the service returned ${outcome.status} for batch ${outcome.batch}`)
    this.#logHeldBack(plan, sent)
    const report = roundReport(feed, plan, sent)
    this.#allowsDeletes = false
    if (outcome) this.#after = outcome.batch
    const released: string[] = []
    for (const view of plan.views) released.push(...commitState(this.#known, view, sent))
    await this.#dropQuarantined([...released, ...releaseChanged(this.#known, plan)])
    await this.#quarantine(rejected)
    if (isFirst) await dropAbandoned(client, feed, this.#quarantinedIds())
    return outcome || report.refused.length > 0 ? report : undefined
  }

  /** Sends each rejected row as a batch of its own, so that the dead-letter store lists it with its reason. */
  async #quarantine(rejected: Map<RoundItem, RejectedItem>): Promise<void> {
    const { client, feed } = this.#options
    for (const { op, resource, key, hash, line } of rejected.values()) {
      const known = this.#known.get(resource)
      const row = known?.quarantined.get(key)
      if (op === 'put' && row?.keptAs !== null) continue
      const { id, isApplied } = await quarantineRow(client, line, {
        name: feed,
        after: this.#after ?? null,
      })
      if (isApplied) {
        this.#after = id
        if (op === 'put') known?.hashes.set(key, hash)
        known?.quarantined.delete(key)
      } else if (row) row.keptAs = id
    }
  }

  async #dropQuarantined(ids: string[]): Promise<void> {
    for (const id of ids) await dropQuarantined(this.#options.client, id)
  }

  #quarantinedIds(): Set<string> {
    const rows = [...this.#known.values()].flatMap(({ quarantined }) => [...quarantined.values()])
    return new Set(rows.flatMap(({ keptAs }) => keptAs ?? []))
  }

  /** Logs which deletions are held back, again after `retryMs`, and once when they no longer are. */
  #logHeldBack(plan: RoundPlan, sent: Pick<SentRound, 'heldBack'>): void {
    const { log, retryMs = retryMsDefault } = this.#options
    const texts = heldBackTexts(plan, sent)
    const nowMs = performance.now()
    for (const [view, text] of texts) {
      const logged = this.#heldBack.get(view)
      if (logged?.text === text && nowMs - logged.atMs < retryMs) continue
      log(text)
      this.#heldBack.set(view, { text, atMs: nowMs })
    }
    for (const { view } of plan.views)
      if (!view.readKeys && !texts.has(view.name) && this.#heldBack.delete(view.name))
        log(`resolved: no deletions of ${view.name} are held back`)
  }

  /** Logs each warning once, and once when it is resolved. */
  #logWarnings(plan: RoundPlan): void {
    const { schema, log } = this.#options
    const now = new Set(warningsOf(plan, schema))
    for (const warning of now) if (!this.#warnings.has(warning)) log(warning)
    for (const warning of this.#warnings) if (!now.has(warning)) log(`resolved: ${warning}`)
    this.#warnings = now
  }
}
