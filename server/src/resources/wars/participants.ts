import { isDeepStrictEqual } from 'node:util'
import { type Change, reject } from '../../ingest/batch.ts'
import { createRowRemover } from '../../ingest/entity-store.ts'
import { type Database, sql } from '../../store/database.ts'
import { type StoredParticipant, type StoredSide, type StoredWar, sides } from './store.ts'

export const removeParticipants = createRowRemover('chancery_world.war_participant', 'war_id')

export const hasOtherParticipants = (before: StoredParticipant[] | undefined, after: StoredParticipant[]) =>
  !isDeepStrictEqual(before ?? [], after)

/** The participants of wars, without names, in a table of their own: see migration 0041. */
export async function writeParticipants(db: Database, wars: StoredWar[]): Promise<void> {
  if (wars.length === 0) return
  const ids = wars.map(({ id }) => id)
  await removeParticipants(db, ids)
  await db.rows(sql`
    insert into chancery_world.war_participant (war_id, number, side, nation_id, alliance_id, joined_at, left_at)
    select w.id, p.number, p.side, p.nation_id, p.alliance_id, p.joined_at, p.left_at
    from chancery_world.war w, rows from (jsonb_to_recordset(w.participants)
      as (side text, nation_id text, alliance_id text, joined_at timestamptz, left_at timestamptz))
      with ordinality as p (side, nation_id, alliance_id, joined_at, left_at, number)
    where w.id = any(${ids})`)
}

type SuppliedParticipant = Pick<StoredParticipant, 'side' | 'nation_id'> & Partial<StoredParticipant>

/**
 * The known participant for each given one: of the same nation on the same side, with the same start, or else the next in order that had
 * not left before.
 */
export function matchParticipants<T extends SuppliedParticipant>(
  known: StoredParticipant[],
  given: T[],
): Map<T, StoredParticipant> {
  const matches = new Map<T, StoredParticipant>()
  const keyOf = ({ side, nation_id }: SuppliedParticipant) => `${side} ${nation_id}`
  const left = Map.groupBy(known, keyOf)
  const take = (participant: T, isSame: (candidate: StoredParticipant) => boolean) => {
    const candidates = left.get(keyOf(participant)) ?? []
    const index = candidates.findIndex(isSame)
    const [found] = index < 0 ? [] : candidates.splice(index, 1)
    if (found) matches.set(participant, found)
  }
  for (const participant of given)
    take(participant, ({ joined_at }) => msOf(joined_at) === msOf(participant.joined_at))
  for (const participant of given) {
    if (matches.has(participant)) continue
    const start = msOf(participant.joined_at) ?? -Infinity
    take(participant, ({ left_at }) => (msOf(left_at) ?? Infinity) > start)
  }
  return matches
}

const msOf = (time: string | null | undefined) => (time ? Date.parse(time) : null)

/** A participant with what the fact left out: as it was known, else as it is in the world. */
export function fillParticipant(
  given: SuppliedParticipant,
  known: StoredParticipant | undefined,
  fill: (side: Partial<StoredSide>) => StoredSide,
): StoredParticipant {
  const { side, joined_at = null, left_at = null, ...nation } = given
  const { nation_name, alliance_id, alliance_name } = known ?? {}
  const isInOther = nation.alliance_id !== undefined && nation.alliance_id !== alliance_id
  const knownMembers = known && { nation_name, alliance_id, ...(isInOther ? {} : { alliance_name }) }
  return { side, ...fill({ ...knownMembers, ...nation } as Partial<StoredSide>), joined_at, left_at }
}

/** Whether a participant is the nation that leads the alliance on its side: a game that sends an alliance may not know which that is. */
export const isLeader = (war: StoredWar, { side, nation_id }: StoredParticipant): boolean =>
  war[`${side}_type`] === 'alliance' && war[side].nation_id === nation_id

/** @throws {BatchRejectedError} where a nation would take part twice at one time. */
export function checkParticipants(war: StoredWar, { line, data }: Change): void {
  if (!data.participants && !data.attacker && !data.defender) return
  const earlier = new Map<string, (readonly [number, number])[]>()
  for (const [index, participant] of war.participants.entries()) {
    const { nation_id } = participant
    const path = `/data/participants/${index}`
    const side = sides.find(name => war[name].nation_id === nation_id)
    if (side && !isLeader(war, participant)) {
      const isGiven = data.participants !== undefined
      const reason = `nation ${nation_id} must not be a side and a participant of the war`
      reject(line, isGiven ? `${path}/nation_id` : `/data/${side}/nation_id`, reason)
    }
    const span = spanOf(participant)
    const [start, end] = span
    if (end < start) reject(line, `${path}/left_at`, 'must not be before joined_at')
    const others = earlier.get(nation_id) ?? []
    earlier.set(nation_id, [...others, span])
    if (others.some(([otherStart, otherEnd]) => start < otherEnd && otherStart < end))
      reject(
        line,
        path,
        `nation ${nation_id} must not take part twice at the same time: give left_at and joined_at`,
      )
  }
}

const spanOf = ({ joined_at, left_at }: Pick<StoredParticipant, 'joined_at' | 'left_at'>) =>
  [msOf(joined_at) ?? -Infinity, msOf(left_at) ?? Infinity] as const

/** Whether a participant left before the end of the war. */
export const hasLeft = ({ ended_at }: StoredWar, { left_at }: StoredParticipant): boolean =>
  left_at !== null && (ended_at === null || Date.parse(left_at) < Date.parse(ended_at))

/**
 * The participants who joined or left by a change; in a war that had ended, a change is a correction. `present`: those of a new war
 * who were in it from its declaration.
 */
export function participationOf(before: StoredWar | undefined, after: StoredWar) {
  if (before?.status === 'ended') return { joined: [], left: [], present: [] }
  const known = matchParticipants(before?.participants ?? [], after.participants)
  const remaining = new Set(known.values())
  const isFromStart = ({ joined_at }: StoredParticipant) =>
    before === undefined && (joined_at === null || Date.parse(joined_at) <= Date.parse(after.declared_at))
  const left = after.participants.filter(participant => {
    const previous = known.get(participant)
    return hasLeft(after, participant) && !(before && previous && hasLeft(before, previous))
  })
  const removed = (before?.participants ?? []).filter(
    participant => !remaining.has(participant) && participant.left_at === null,
  )
  return {
    joined: after.participants.filter(participant => !known.has(participant) && !isFromStart(participant)),
    left: [...left, ...removed],
    present: after.participants.filter(isFromStart),
  }
}
