import type { PublicOf, ResourceOf } from '@chancery/contract'
import { type Batch, type Change, reject } from '../../ingest/batch.ts'
import { type EntityStore, mergeChanges, type Transition } from '../../ingest/changes.ts'
import { createTableStore } from '../../ingest/entity-store.ts'
import { raw, sql } from '../../store/database.ts'
import { alliancesOfNations } from '../members/apply.ts'

interface Treaty extends PublicOf<ResourceOf<'treaty'>> {
  /** It ended with a party or with its era. A fact that names parties and no end is about another treaty of the same id. */
  is_past: boolean
}

const partyFields = [
  ['alliance_ids', 'alliance'],
  ['nation_ids', 'nation'],
] as const
type PartyField = (typeof partyFields)[number][0]

const table = createTableStore<Treaty>('treaty', 'chancery_world.treaty', { more: ['is_past'] })

const store: EntityStore<Treaty> = {
  ...table,

  adjust(batch, after, before, change) {
    const { data, line } = change
    const known = before && isAboutAnother(data, before) ? undefined : before
    if (before && !known) beginAnother(after, change)
    after.status = statusOf(data, known)
    after.is_past = after.status === 'ended' && known?.is_past === true
    if (after.status === 'active') {
      if (typeof data.ended_at === 'string')
        reject(line, '/data/status', 'must be ended for a treaty with ended_at, or left out')
      after.ended_at = null
    }
    if (after.types[0] !== after.type)
      reject(line, '/data/types', `must begin with type (${after.type}): send one of the two`)
    checkParties(after, before, line)
    requireParties(batch, after, before, change)
  },
}

/** Whether a fact about a treaty that ended with a party, or with its era, is about another one of the same id. */
function isAboutAnother(data: Change['data'], before: Treaty): boolean {
  const named = partyFields.filter(([field]) => field in data)
  const areSame = named.every(([field]) => (data[field] as string[]).join() === before[field].join())
  const isCorrection = areSame && statusOf(data, undefined) === 'ended'
  return before.is_past && named.length > 0 && !isCorrection
}

/** Another treaty has nothing of the one before. */
function beginAnother(after: Treaty, { data, line }: Change): void {
  if (!('type' in data)) reject(line, '/data/type', 'is required for a new treaty')
  for (const [field] of partyFields) if (!(field in data)) after[field] = []
  for (const field of ['signed_at', 'expires_at', 'ended_at'] as const)
    if (!(field in data)) after[field] = null
}

/** A treaty with an end has ended. */
function statusOf(data: Change['data'], before: Treaty | undefined): Treaty['status'] {
  if ('status' in data) return data.status as Treaty['status']
  if (typeof data.ended_at === 'string') return 'ended'
  return before?.status ?? 'active'
}

function checkParties(after: Treaty, before: Treaty | undefined, line: number): void {
  const { alliance_ids, nation_ids } = after
  if (alliance_ids.length > 0 === nation_ids.length > 0)
    reject(
      line,
      '/data/alliance_ids',
      'a treaty is between two alliances (alliance_ids) or two nations (nation_ids): one of the two lists must have two ids, the other none',
    )
  for (const [field, resource] of partyFields) {
    const [first, second] = after[field]
    if (first === undefined || before?.[field].join() === after[field].join()) continue
    if (second === undefined || first === second)
      reject(line, `/data/${field}`, `must be two different ${resource}s`)
  }
}

/** The parties of a treaty in force exist; those of an ended one may be deleted. */
function requireParties(
  batch: Batch,
  after: Treaty,
  before: Treaty | undefined,
  { line, data }: Change,
): void {
  const becomesActive = after.status === 'active' && before?.status !== 'active'
  for (const [field, resource] of partyFields) {
    const isGiven = field in data
    if (!isGiven && !becomesActive) continue
    const path = isGiven ? `/data/${field}` : '/data/id'
    for (const id of after[field]) {
      if (after.status === 'active') batch.requireExisting(resource, id, line, path)
      else batch.requireKnown(resource, id, line, path)
    }
  }
}

/** Applies facts about treaties. */
export async function applyTreaties(batch: Batch, changes: Change[]): Promise<void> {
  await emitEvents(batch, await mergeChanges(batch, store, changes.map(withBothKinds)))
}

/** A fact may have `type` or `types`: the other follows from it. */
function withBothKinds(change: Change): Change {
  const { type, types } = change.data
  if (Array.isArray(types))
    return { ...change, data: { ...change.data, type: type ?? types[0], types: [...new Set(types)] } }
  return type === undefined ? change : { ...change, data: { ...change.data, types: [type] } }
}

/** For treaties whose party a batch deletes. */
const endingStore: EntityStore<Treaty> = {
  ...table,
  adjust(_batch, after) {
    after.is_past = true
  },
}

/** Ends the treaties of nations or alliances that a batch deletes. They stay in the list. */
export const endTreatiesOf = (field: PartyField) => async (batch: Batch, deletes: Change[]) => {
  const deleteOf = new Map(deletes.map(change => [change.key, change]))
  const rows = await batch.db.rows<{ id: string; parties: string[] }>(sql`
    select id, ${raw(field)} as parties from chancery_world.treaty
    where status = 'active' and ${raw(field)} && ${[...deleteOf.keys()]} order by id`)
  const changes = rows.flatMap(({ id, parties }): Change[] => {
    const change = parties.map(party => deleteOf.get(party)).find(found => found !== undefined)
    const data = { status: 'ended', ended_at: change?.at ?? batch.loggedAt }
    return change ? [{ ...change, op: 'put', key: id, data }] : []
  })
  await emitEvents(batch, await mergeChanges(batch, endingStore, changes))
}

async function emitEvents(batch: Batch, transitions: Transition<Treaty>[]): Promise<void> {
  const shown = transitions.flatMap(({ line, before, after, at }) => {
    const treaty = after ?? before
    if (!treaty) return []
    const isSigned = after && (!before || (before.status === 'ended' && after.status === 'active'))
    const isEnded = after
      ? after.status === 'ended' && before?.status !== 'ended'
      : before?.status === 'active'
    const endedAt = after?.ended_at ?? at
    return [
      ...(isSigned
        ? [{ line, treaty, kind: 'signed', at: treaty.signed_at ?? (isEnded ? endedAt : at) } as const]
        : []),
      ...(isEnded ? [{ line, treaty, kind: 'ended', at: endedAt } as const] : []),
    ]
  })
  if (shown.length === 0) return
  const alliances = await alliancesNamed(
    batch,
    shown.flatMap(({ treaty }) => treaty.alliance_ids),
  )
  const nationIds = shown.flatMap(({ treaty }) => treaty.nation_ids)
  const names = await batch.nationNames(nationIds)
  const allianceOf = await alliancesOfNations(batch, nationIds)
  for (const { line, treaty, kind, at } of shown) {
    const { id, type, types, alliance_ids, nation_ids, signed_at, expires_at } = treaty
    const kinds = { treaty_id: id, type, types }
    const times = { signed_at, expires_at }
    if (nation_ids.length === 0) {
      const parties = alliance_ids.map(
        party => alliances.get(party) ?? { alliance_id: party, name: party, tag: '' },
      )
      const data = { ...kinds, alliances: parties, ...times }
      batch.emit(`treaty.${kind}`, { line, at, alliances: alliance_ids }, data)
    } else {
      const nations = nation_ids.map(party => ({
        nation_id: party,
        nation_name: names.get(party) ?? party,
      }))
      const ofNations = nation_ids.map(party => allianceOf.get(party) ?? null)
      const metadata = { line, at, nations: nation_ids, alliances: ofNations }
      batch.emit(`treaty.${kind}_between_nations`, metadata, { ...kinds, nations, ...times })
    }
  }
}

interface AllianceReference {
  alliance_id: string
  name: string
  tag: string
}

/** References to alliances, also to deleted ones, whose tag is not kept. */
async function alliancesNamed({ db }: Batch, ids: string[]): Promise<Map<string, AllianceReference>> {
  if (ids.length === 0) return new Map()
  const wanted = [...new Set(ids)]
  const rows = await db.rows<AllianceReference>(sql`
    select id as alliance_id, name, tag from chancery_world.alliance where id = any(${wanted})
    union all
    select id, coalesce(name, id), '' from chancery_world.tombstone where resource = 'alliance' and id = any(${wanted})`)
  return new Map(rows.map(row => [row.alliance_id, row]))
}
