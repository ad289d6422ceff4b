/**
 * The event log by alliance and type, in blocks of numbers: whether an event of a block is about an alliance, or of a type, is one bit. So the
 * events of a hundred large alliances are counted, and any page of them found, without reading an index row for each (decision 0058). A
 * block is written once, when the log has passed it; events after the last block are found by their rows.
 */
import { type Database, raw, type Sql, sql } from '../store/database.ts'
import type { Span } from './store.ts'

/** Numbers in a block. */
export const blockLength = 32_768
const numbersInBlock = raw(`${blockLength}`)
const bytesInBlock = raw(`${blockLength / 8}`)

/** The first number after the blocks that are complete when the log ends with a number. */
const endOfBlocks = (last: number) => Math.floor((last + 1) / blockLength) * blockLength

/** So many blocks are written at once. */
const blocksAtOnce = 16

/** Writes the blocks that a batch completes, whose events have the numbers from `base` + 1 to `last`. */
export async function writeBlocks(db: Database, base: number, last: number): Promise<void> {
  const end = endOfBlocks(last)
  if (end === endOfBlocks(base)) return
  for (;;) {
    // Most blocks of a gap have no event.
    const next = await db.first<{ seq: number }>(sql`
      select seq from chancery_world.event
      where seq >= (select event_blocks_end from chancery_world.pulse) and seq < ${end} order by seq limit 1`)
    const written = next ? Math.min(end, endOfBlocks(next.seq - 1) + blocksAtOnce * blockLength) : end
    if (next) await writeUpTo(db, written)
    await db.rows(sql`update chancery_world.pulse set event_blocks_end = ${written}`)
    if (written === end) return
  }
}

const writeUpTo = (db: Database, end: number) =>
  db.rows(sql`
    insert into chancery_world.event_block (filter, value, block, bits)
    select filter, value, block, (
      'x' || string_agg(repeat('00', gap) || lpad(to_hex(bits), 2, '0'), '' order by byte)
        || repeat('00', ${bytesInBlock} - 1 - max(byte))
    )::bit(${numbersInBlock})
    from (
      select filter, value, block, byte, bits,
        byte - 1 - coalesce(lag(byte) over (partition by filter, value, block order by byte), -1) as gap
      from (
        select i.filter, i.value, e.seq / ${numbersInBlock} as block, (e.seq % ${numbersInBlock} / 8)::integer as byte,
          bit_or(128 >> (e.seq % 8)::integer) as bits
        from chancery_world.event e, lateral (
          select 'type' as filter, e.type as value
          union all select 'alliance_id', jsonb_array_elements_text(e.alliance_ids)
        ) i
        where e.seq >= (select event_blocks_end from chancery_world.pulse) and e.seq < ${end}
        group by 1, 2, 3, 4
      ) filled
    ) placed
    group by 1, 2, 3`)

/** Writes all blocks again: backups do not contain them. */
export async function rebuildBlocks(db: Database): Promise<void> {
  const pulse = await db.first<{ seq: number }>(
    sql`update chancery_world.pulse set event_blocks_end = 0 returning seq`,
  )
  await db.rows(sql`delete from chancery_world.event_block`)
  await writeBlocks(db, 0, pulse?.seq ?? 0)
}

/** Deletes the blocks whose events have all been deleted, up to a number. */
export async function deleteBlocks(db: Database, last: number): Promise<void> {
  await db.rows(sql`delete from chancery_world.event_block where block < ${endOfBlocks(last) / blockLength}`)
}

/** Numbers of blocks, the end excluded. */
interface Blocks {
  first: number
  end: number
}

/** The blocks that lie within a span, undefined for none. `blocksEnd`: events before this number are in blocks. */
export function blocksWithin(span: Span, blocksEnd: number): Blocks | undefined {
  // There is no event 0.
  const first = span.first === 1 ? 0 : Math.ceil(span.first / blockLength)
  const end = endOfBlocks(Math.min(span.last, blocksEnd - 1)) / blockLength
  return first < end ? { first, end } : undefined
}

/** Events about any of some alliances, and of any of some types where these are given. */
interface Selection {
  span: Span
  blocks: Blocks
  alliances: string[]
  types: string[] | undefined
  /** Selects the numbers of the events of a span by their rows, each once. */
  inSpan: (span: Span) => Sql
}

interface PageOfBlocks {
  offset: number
  limit: number
  isOldestFirst: boolean
}

/** Counts the selected events, and returns the numbers of a page of them, in no order. */
export async function pageFromBlocks(
  db: Database,
  { span, blocks, alliances, types, inSpan }: Selection,
  page: PageOfBlocks,
): Promise<{ seqs: number[]; total: number }> {
  // Before the first block and after the last one.
  const edges = new Map([
    [blocks.first - 1, inSpan({ first: span.first, last: blocks.first * blockLength - 1 })],
    [blocks.end, inSpan({ first: blocks.end * blockLength, last: span.last })],
  ])
  const countIn = ({ first, end }: Blocks) =>
    sql`select block, bit_count(bits) as events from (
      ${selectBits(alliances, types, sql`block >= ${first} and block < ${end}`)}) selected`
  const [before, after] = [...edges].map(
    ([block, events]) => sql`select ${block}::bigint as block, count(*) as events from (${events}) edge`,
  )
  // On two connections: PostgreSQL plans no parallel worker, because it does not expect the cost of decompressing the bits.
  const middle = Math.ceil((blocks.first + blocks.end) / 2)
  const halves = await Promise.all([
    db.rows<Count>(sql`${before} union all ${countIn({ first: blocks.first, end: middle })} order by block`),
    db.rows<Count>(sql`${countIn({ first: middle, end: blocks.end })} union all ${after} order by block`),
  ])
  const counts = halves.flat()
  const parts = partsOfPage(page.isOldestFirst ? counts : counts.reverse(), page)
  const inBlocks = parts.filter(({ block }) => !edges.has(block))
  const seqs: number[] = []
  if (inBlocks.length > 0) {
    const chosen = sql`block = any(${inBlocks.map(({ block }) => block)})`
    const rows = await db.rows<{ block: number; bits: string }>(selectBits(alliances, types, chosen))
    const bitsOf = new Map(rows.map(({ block, bits }) => [block, bits]))
    for (const part of inBlocks) seqs.push(...numbersOf(bitsOf.get(part.block) ?? '', part, page))
  }
  for (const { block, skipped, taken } of parts) {
    const events = edges.get(block)
    if (!events) continue
    const order = page.isOldestFirst ? sql`seq` : sql`seq desc`
    const rows = await db.rows<{ seq: number }>(
      sql`select seq from (${events}) edge order by ${order} limit ${taken} offset ${skipped}`,
    )
    seqs.push(...rows.map(({ seq }) => seq))
  }
  return { seqs, total: counts.reduce((sum, { events }) => sum + events, 0) }
}

/** `block` and `bits`: the events that are about any of the alliances, and of any of the types. */
function selectBits(alliances: string[], types: string[] | undefined, where: Sql): Sql {
  const anyOf = (filter: string, values: string[]) => sql`
    select block, bit_or(bits) as bits from chancery_world.event_block
    where filter = ${filter} and value = any(${values}) and ${where} group by block`
  const ofAlliances = anyOf('alliance_id', alliances)
  if (!types) return ofAlliances
  return sql`
    select block, a.bits & t.bits as bits
    from (${ofAlliances}) a join (${anyOf('type', types)}) t using (block)`
}

interface Count {
  block: number
  events: number
}

/** What a page takes of a block. */
interface Part {
  block: number
  skipped: number
  taken: number
}

/** `counts`: in the order of the page. */
function partsOfPage(counts: Count[], { offset, limit }: PageOfBlocks): Part[] {
  const parts: Part[] = []
  let before = 0
  for (const { block, events } of counts) {
    const skipped = Math.max(0, offset - before)
    const taken = Math.min(events, offset + limit - before) - skipped
    if (taken > 0) parts.push({ block, skipped, taken })
    before += events
  }
  return parts
}

/** The numbers of the events that a part takes of its block. */
function numbersOf(bits: string, { block, skipped, taken }: Part, { isOldestFirst }: PageOfBlocks): number[] {
  const places: number[] = []
  for (let at = bits.indexOf('1'); at !== -1; at = bits.indexOf('1', at + 1)) places.push(at)
  const chosen = isOldestFirst
    ? places.slice(skipped, skipped + taken)
    : places.slice(places.length - skipped - taken, places.length - skipped)
  return chosen.map(place => block * blockLength + place)
}
