/**
 * Redaction: replaces published texts of an entity, and everything of an erased player, in one transaction with the batch that requests
 * it: in the entity, in rows and events that copy it, in texts that people wrote about it, in dead letters and in queued webhooks. Nothing
 * of the previous text stays in the database. Start reading at `applyRedactions`.
 */
import { type Contract, isNullable, redactableFields } from '@chancery/contract'
import { type Batch, type Erasure, type Redaction, reject } from '../ingest/batch.ts'
import { closeHistory } from '../resources/history/numbers.ts'
import { withdrawSnapshots } from '../snapshots/files.ts'
import { sql } from '../store/database.ts'
import { exclusiveDeliveryLock, playerLock } from '../store/locks.ts'
import { redactDeadLetters } from './dead-letters.ts'
import { membersOf } from './denormalized-copies.ts'
import { appendToLedger, entryOfErasure, entryOfRedaction, type LedgerEntry } from './ledger.ts'
import { publicTextAttributes, type StartedRedaction, startRedaction } from './redact.ts'
import { rewriteEvents, rewriteRows, rewriteSides } from './rewrites.ts'

/** Redactions whose entities have their new texts; the copies follow in `finish`. */
export interface PendingRedactions {
  /** Replaces the copies, also in this batch's own events: call it when those are in the log. */
  finish(): Promise<void>
  entries: LedgerEntry[]
}

/**
 * Starts the redactions, then the erasures of a batch, in its transaction.
 * @throws {BatchRejectedError} if an entity does not exist and never did.
 */
export async function applyRedactions(
  batch: Batch,
  { redactions, erasures }: { redactions: readonly Redaction[]; erasures: readonly Erasure[] },
): Promise<PendingRedactions> {
  const started: StartedRedaction[] = []
  const startedErasures: StartedErasure[] = []
  const entries: LedgerEntry[] = []
  for (const redaction of redactions) {
    const { line, resource, key } = redaction
    const one = await startRedaction(batch, redaction)
    if (!one) reject(line, '/id', `unknown ${resource} ${key}`)
    started.push(one)
    entries.push(entryOfRedaction(redaction, batch.loggedAt))
  }
  for (const erasure of erasures) {
    const one = await startErasure(batch, erasure)
    startedErasures.push(one)
    started.push(...one.redactions)
    entries.push(entryOfErasure(erasure, one.nations, batch.loggedAt))
  }
  return { entries, finish: () => finish(batch, started, startedErasures, entries) }
}

async function finish(
  batch: Batch,
  redactions: StartedRedaction[],
  erasures: StartedErasure[],
  entries: LedgerEntry[],
): Promise<void> {
  if (entries.length === 0) return
  await appendToLedger(batch, entries)
  const rewritten = new Set<number>()
  for (const { replacement, previous, attributes } of redactions) {
    await rewriteRows(batch, replacement, previous)
    for (const seq of await rewriteEvents(batch, replacement, previous)) rewritten.add(seq)
    await rewriteSides(batch, replacement, previous)
    const { key } = replacement
    const members = new Set([...membersOf(batch.contract, replacement), ...attributes])
    await redactDeadLetters(batch, { ids: [key], texts: previous.distinctive, members })
  }
  if (erasures.length > 0)
    await redactDeadLetters(batch, {
      ids: erasures.flatMap(({ player, nations }) => [player, ...nations]),
      texts: [],
      members: new Set(),
    })
  const { db } = batch
  await withdrawSnapshots(db)
  // Last, because it blocks deliveries until the batch is committed.
  await db.rows(exclusiveDeliveryLock)
  // Also where no event had the text: a replica that has an older version may still return it.
  await db.rows(sql`update chancery_world.pulse set redaction_version = redaction_version + 1`)
  if (rewritten.size > 0)
    await db.rows(sql`select chancery_secret.drop_responses(${[...rewritten]}::bigint[])`)
  // Waits for transactions that create rows of these players, so that the deletion below sees their rows. All locks are taken before the
  // first deletion: the holder of one may wait for a row that is deleted below.
  for (const { player } of erasures.toSorted((one, other) => (one.player < other.player ? -1 : 1)))
    await db.rows(playerLock(player))
  for (const { player, ownNations } of erasures)
    await db.rows(sql`select chancery_secret.erase_player(${player}, ${ownNations}::text[])`)
}

/** Replaces a required text of an erased player's nations, but for their names. */
const erasedText = 'Erased'

/** A redaction of all texts of a nation: the given name, null where a text may be null. */
function erasedTexts({ resources }: Contract, name: string): Record<string, unknown> {
  const { fields } = resources.nation
  const attributes = publicTextAttributes(fields).map(key => [key, null])
  const textFor = (field: (typeof redactableFields.nation)[number]) => {
    if (field === 'nation_name') return name
    if (field === 'attributes') return Object.fromEntries(attributes)
    return isNullable(fields[field]) ? null : erasedText
  }
  return Object.fromEntries(redactableFields.nation.map(field => [field, textFor(field)]))
}

/** An erasure whose nations have their new texts. */
interface StartedErasure {
  player: string
  nations: string[]
  /** Those of them that no other player leads. */
  ownNations: string[]
  redactions: StartedRedaction[]
}

/**
 * Clears the texts and secrets of the player's nations. A nation that another player leads by now keeps that player's secrets. Player and
 * nations may be unknown: an erasure is also applied again to a restored database.
 */
async function startErasure(batch: Batch, erasure: Erasure): Promise<StartedErasure> {
  const { line, player, name } = erasure
  const { db, contract } = batch
  const leading = await db.rows<{ id: string }>(
    sql`select nation_id as id from chancery_secret.nation_private where player = ${player}`,
  )
  const nations = [...new Set([...erasure.nations, ...leading.map(({ id }) => id)])]
  const redactions: StartedRedaction[] = []
  const data = erasedTexts(contract, name)
  for (const key of nations) {
    const started = await startRedaction(batch, { line, resource: 'nation', key, data })
    if (started) redactions.push(started)
  }
  await closeHistory(db, 'nation', nations)
  const own = await db.rows<{ id: string }>(sql`
    select t.id from unnest(${nations}::text[]) as t (id)
    where not exists (select from chancery_secret.nation_private p where p.nation_id = t.id and p.player <> ${player})`)
  const ownNations = own.map(({ id }) => id)
  await db.rows(sql`
    update chancery_secret.nation_private set military = null, economy = null, production = null, assignments = null,
      player = null, moderation_notes = null, attributes = '{}', admin_attributes = '{}' where nation_id = any(${ownNations})`)
  await db.rows(sql`delete from chancery_secret.alliance_application where nation_id = any(${ownNations})`)
  await db.rows(sql`delete from chancery_secret.member_private where nation_id = any(${ownNations})`)
  return { player, nations, ownNations, redactions }
}
