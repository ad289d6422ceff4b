import { type Batch, type Erasure, type Redaction, reject } from '../ingest/batch.ts'
import { sql } from '../store/database.ts'
import { playerLock } from '../store/locks.ts'
import { exclusiveDeliveryLock } from '../webhooks/queue.ts'
import { redactDeadLetters } from './dead-letters.ts'
import { membersOf } from './denormalized-copies.ts'
import { noteOfErasure, noteOfRedaction, type RedactionNote, writeNotes } from './ledger.ts'
import { publicTextAttributes, type StartedRedaction, startRedaction } from './redact.ts'
import { rewriteEvents, rewriteRows, rewriteSides } from './rewrites.ts'

/** What a batch takes back, half done: the things themselves have their new texts, and the events that tell of it wait to be logged. */
export interface PendingRedactions {
  /** Replaces the texts wherever they are repeated, in this batch's own events too: called when those are in the log. */
  finish(): Promise<void>
  /** What was asked for, as a restored database is told again. */
  notes: RedactionNote[]
}

/**
 * Begins the redactions and erasures of a batch, in the order of their kinds. All of it is in the batch's transaction.
 * @throws {RefusedBatch} where a thing neither is nor was.
 */
export async function applyRedactions(
  batch: Batch,
  { redactions, erasures }: { redactions: readonly Redaction[]; erasures: readonly Erasure[] },
): Promise<PendingRedactions> {
  const begun: StartedRedaction[] = []
  const begunErasures: StartedErasure[] = []
  const notes: RedactionNote[] = []
  for (const redaction of redactions) {
    const { line, resource, key } = redaction
    const one = await startRedaction(batch, redaction)
    if (!one) reject(line, '/id', `there is no ${resource} ${key}, and never was`)
    begun.push(one)
    notes.push(noteOfRedaction(redaction, batch.loggedAt))
  }
  for (const erasure of erasures) {
    const one = await startErasure(batch, erasure)
    begunErasures.push(one)
    begun.push(...one.redactions)
    notes.push(noteOfErasure(erasure, one.nations, batch.loggedAt))
  }
  return { notes, finish: () => finish(batch, begun, begunErasures, notes) }
}

async function finish(
  batch: Batch,
  begun: StartedRedaction[],
  erasures: StartedErasure[],
  notes: RedactionNote[],
): Promise<void> {
  if (notes.length === 0) return
  await writeNotes(batch, notes)
  const rewritten = new Set<number>()
  for (const { replacement, former, attributes } of begun) {
    await rewriteRows(batch, replacement, former)
    for (const seq of await rewriteEvents(batch, replacement, former)) rewritten.add(seq)
    await rewriteSides(batch, replacement, former)
    const { key } = replacement
    const members = new Set([...membersOf(batch.contract, replacement), ...attributes])
    await redactDeadLetters(batch, { ids: [key], texts: former.distinctive, members })
  }
  if (erasures.length > 0)
    await redactDeadLetters(batch, {
      ids: erasures.flatMap(({ player, nations }) => [player, ...nations]),
      texts: [],
      members: new Set(),
    })
  const { db } = batch
  // What webhooks hold comes last: nothing is delivered and booked until the batch is committed.
  await db.rows(exclusiveDeliveryLock)
  if (rewritten.size > 0) {
    await db.rows(sql`update chancery_world.pulse set redaction_version = redaction_version + 1`)
    await db.rows(sql`select chancery_secret.drop_answers(${[...rewritten]}::bigint[])`)
  }
  // What is being made of theirs is there before it is looked for. All turns come first: whoever has one may wait for what is changed below.
  for (const { player } of erasures.toSorted((one, other) => (one.player < other.player ? -1 : 1)))
    await db.rows(playerLock(player))
  for (const { player, ownNations } of erasures)
    await db.rows(sql`select chancery_secret.forget_player(${player}, ${ownNations}::text[])`)
}

/** What a leader who is forgotten is called. */
const leaderName = 'Erased'

/** An erasure whose nations are done. */
export interface StartedErasure {
  player: string
  nations: string[]
  /** Those of them that no other player leads. */
  ownNations: string[]
  redactions: StartedRedaction[]
}

/**
 * Takes the player's nations back to what nobody wrote, with their secrets. A nation that another player leads by now keeps what is
 * that player's own. Neither a player nor a nation needs to be known: an erasure may be told again, also to an older database.
 */
export async function startErasure(batch: Batch, erasure: Erasure): Promise<StartedErasure> {
  const { line, player, name } = erasure
  const { db, contract } = batch
  const leading = await db.rows<{ id: string }>(
    sql`select nation_id as id from chancery_secret.nation_private where player = ${player}`,
  )
  const nations = [...new Set([...erasure.nations, ...leading.map(({ id }) => id)])]
  const redactions: StartedRedaction[] = []
  const attributes = publicTextAttributes(contract.resources.nation.fields)
  for (const key of nations) {
    const data = {
      nation_name: name,
      leader_name: leaderName,
      motto: null,
      flag_url: null,
      attributes: Object.fromEntries(attributes.map(attribute => [attribute, null])),
    }
    const begun = await startRedaction(batch, { line, resource: 'nation', key, data })
    if (begun) redactions.push(begun)
  }
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
