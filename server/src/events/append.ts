import type { EventDraft } from '../store/batch.ts'
import { type Database, raw, sql } from '../store/database.ts'

const stage = raw(`
  insert into chancery_secret.event_draft
    (line, ordinal, type, occurred_at, summary, nation_ids, alliance_ids, war_id, conflict_id, data)
  select line, ordinal, type, occurred_at, summary, nation_ids, alliance_ids, war_id, conflict_id, data
  from json_populate_recordset(null::chancery_secret.event_draft, `)

/** Above this many drafts, emptying the table by truncation is cheaper than leaving dead rows behind. */
const truncateFrom = 10_000

/** Collects the events of one batch, in the database, so that a batch of any size fits in memory. */
export function createEventCollector(db: Database) {
  let pending: (EventDraft & { ordinal: number })[] = []
  let count = 0

  async function flush(): Promise<void> {
    if (pending.length === 0) return
    const rows = pending
    pending = []
    await db.rows(sql`${stage}${JSON.stringify(rows)}::json)`)
  }

  return {
    add(draft: EventDraft): void {
      pending.push({ ...draft, ordinal: count })
      count += 1
    },
    /** Moves what has been collected so far out of this process. */
    flush,

    /**
     * Numbers the events and writes them to the log: in the order of the facts that gave rise to them, from `base` + 1
     * without gaps, and within each kind likewise. The ingest lock is held, so nobody else numbers.
     */
    async append(base: number, loggedAt: string, isAnnounced: boolean): Promise<number> {
      await flush()
      if (count === 0) return 0
      await db.rows(sql`
        insert into chancery_world.event
          (seq, type, kind_number, occurred_at, summary, nation_ids, alliance_ids, war_id, conflict_id, data, is_announced)
        select ${base}::bigint + row_number() over (order by d.line, d.ordinal), d.type,
          coalesce(k.last_number, 0) + row_number() over (partition by d.type order by d.line, d.ordinal),
          d.occurred_at, d.summary, d.nation_ids, d.alliance_ids, d.war_id, d.conflict_id, d.data, ${isAnnounced}
        from chancery_secret.event_draft d left join chancery_world.event_kind k using (type)
        order by d.line, d.ordinal`)
      await db.rows(sql`
        insert into chancery_world.event_nation (nation_id, seq, type)
        select distinct n.id, e.seq, e.type
        from chancery_world.event e, jsonb_array_elements_text(e.nation_ids) as n (id) where e.seq > ${base}`)
      await db.rows(sql`
        insert into chancery_world.event_alliance (alliance_id, seq, type)
        select distinct a.id, e.seq, e.type
        from chancery_world.event e, jsonb_array_elements_text(e.alliance_ids) as a (id) where e.seq > ${base}`)
      await db.rows(sql`
        insert into chancery_world.event_kind (type, last_number)
        select type, max(kind_number) from chancery_world.event where seq > ${base} group by type
        on conflict (type) do update set last_number = excluded.last_number`)
      await db.rows(sql`
        insert into chancery_world.logging (first_seq, last_seq, logged_at)
        values (${base + 1}, ${base + count}, ${loggedAt})`)
      await db.rows(
        count > truncateFrom
          ? sql`truncate chancery_secret.event_draft`
          : sql`delete from chancery_secret.event_draft`,
      )
      return count
    },
  }
}

export type EventCollector = ReturnType<typeof createEventCollector>
