import type { Contract, EventKind } from '@chancery/contract'
import { type Batch, chunkSize, chunksOf, type EventDraft } from '../ingest/batch.ts'
import { type Database, raw, sql } from '../store/database.ts'
import { writeBlocks } from './event-blocks.ts'

interface OrderedDraft extends EventDraft {
  /** Orders the events of one line. */
  ordinal: number
}

/** Up to this many events of a batch are buffered in memory; more are moved to a table. */
const bufferedMax = 20_000

const draftColumns =
  'line, ordinal, type, occurred_at, summary, nation_ids, alliance_ids, war_id, conflict_id, data'
const insertDrafts = raw(`
  insert into chancery_secret.event_draft (${draftColumns})
  select ${draftColumns} from json_populate_recordset(null::chancery_secret.event_draft, `)
const openCursor = raw(`
  declare event_drafts no scroll cursor for
  select ${draftColumns} from chancery_secret.event_draft order by line, ordinal`)

const eventColumns =
  'seq, type, kind_number, occurred_at, summary, nation_ids, alliance_ids, war_id, conflict_id, data'
const write = raw(`
  insert into chancery_world.event (${eventColumns})
  select ${eventColumns} from json_populate_recordset(null::chancery_world.event, `)

/** Collects the events of one batch, and numbers them when it is complete. */
export function createEventCollector(db: Database, contract: Contract, loggedAt: string) {
  let buffered: OrderedDraft[] = []
  let count = 0
  let isInTable = false

  async function moveToTable(): Promise<void> {
    isInTable = true
    const drafts = buffered
    buffered = []
    for (const chunk of chunksOf(drafts)) await db.rows(sql`${insertDrafts}${JSON.stringify(chunk)}::json)`)
  }

  /** In the order of the facts from which they follow, in chunks. */
  async function* inOrder(): AsyncGenerator<OrderedDraft[]> {
    if (!isInTable) {
      buffered.sort((one, other) => one.line - other.line || one.ordinal - other.ordinal)
      yield* chunksOf(buffered)
      return
    }
    await moveToTable()
    await db.rows(sql`${openCursor}`)
    for (;;) {
      const drafts = await db.rows<OrderedDraft>(sql`${raw(`fetch ${chunkSize} from event_drafts`)}`)
      if (drafts.length === 0) break
      yield drafts
    }
    await db.rows(sql`close event_drafts`)
    await db.rows(sql`truncate chancery_secret.event_draft`)
  }

  const add = (draft: EventDraft): void => {
    buffered.push({ ...draft, ordinal: count })
    count += 1
  }

  const emit: Batch['emit'] = (
    type,
    { line, at, nations = [], alliances = [], war = null, conflict = null },
    data,
  ) => {
    const { summarize } = contract.eventKinds[type] as EventKind
    add({
      line,
      type,
      occurred_at: at ?? loggedAt,
      summary: summarize?.(data) ?? type,
      nation_ids: distinct(nations),
      alliance_ids: distinct(alliances),
      war_id: war,
      conflict_id: conflict,
      data,
    })
  }

  return {
    add,
    emit,

    /** Bounds the memory: called after each chunk of facts. */
    async flushIfLarge(): Promise<void> {
      if (buffered.length > bufferedMax) await moveToTable()
    },

    /**
     * Numbers the events and writes them to the log: from `base` + 1 without gaps, and within each kind likewise. The ingest lock is
     * held, so no other batch numbers events.
     */
    async append(base: number, isAnnounced: boolean): Promise<number> {
      if (count === 0) return 0
      const numbers = await lastNumbers(db)
      let seq = base
      for await (const drafts of inOrder()) {
        const events = drafts.map(({ line: _line, ordinal: _ordinal, ...draft }) => {
          const kind_number = (numbers.get(draft.type) ?? 0) + 1
          numbers.set(draft.type, kind_number)
          seq += 1
          return { seq, kind_number, ...draft }
        })
        await db.rows(sql`${write}${JSON.stringify(events)}::json)`)
      }
      await indexSubjects(db, base)
      await writeBlocks(db, base, seq)
      await db.rows(sql`
        insert into chancery_world.event_kind (type, last_number)
        select * from unnest(${[...numbers.keys()]}::text[], ${[...numbers.values()]}::bigint[])
        on conflict (type) do update set last_number = excluded.last_number`)
      await db.rows(sql`
        insert into chancery_world.event_log_span (first_seq, last_seq, logged_at, is_announced)
        values (${base + 1}, ${seq}, ${loggedAt}, ${isAnnounced})`)
      return count
    },
  }
}

const distinct = (ids: (string | null)[]) => [...new Set(ids.filter(id => id !== null))]

async function lastNumbers(db: Database): Promise<Map<string, number>> {
  const rows = await db.rows<{ type: string; last_number: number }>(
    sql`select type, last_number from chancery_world.event_kind`,
  )
  return new Map(rows.map(row => [row.type, row.last_number]))
}

/** Writes the indexes by nation and by alliance. */
async function indexSubjects(db: Database, base: number): Promise<void> {
  await db.rows(sql`
    insert into chancery_world.event_nation (nation_id, seq, type)
    select distinct n.id, e.seq, e.type
    from chancery_world.event e, jsonb_array_elements_text(e.nation_ids) as n (id) where e.seq > ${base}`)
  await db.rows(sql`
    insert into chancery_world.event_alliance (alliance_id, seq, type)
    select distinct a.id, e.seq, e.type
    from chancery_world.event e, jsonb_array_elements_text(e.alliance_ids) as a (id) where e.seq > ${base}`)
}

export type EventCollector = ReturnType<typeof createEventCollector>
