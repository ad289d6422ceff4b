import type { Batch } from '../../ingest/batch.ts'
import type { Transition } from '../../ingest/changes.ts'
import { hasLeft, participationOf } from './participants.ts'
import type { StoredParticipant, StoredWar } from './store.ts'

/** Emits the events of a changed war: it is declared, joined, left, ended. */
export function emitEvents(batch: Batch, { line, before, after, at }: Transition<StoredWar>): void {
  if (!after) return
  const { id, type, reason, attacker, defender, outcome, game_outcome } = after
  const { attacker_type, defender_type, is_mutual } = after
  const war = { war_id: id, type, attacker_type, defender_type, is_mutual }
  const about = (others: StoredParticipant[]) => {
    const nations = [attacker, defender, ...others]
    return {
      line,
      nations: nations.map(({ nation_id }) => nation_id),
      alliances: nations.map(({ alliance_id }) => alliance_id),
      war: id,
      conflict: after.conflict_id,
    }
  }
  const { joined, left, present } = participationOf(before, after)
  if (!before) {
    const data = { war: { ...war, reason }, attacker, defender }
    batch.emit('war.declared', { ...about(present), at: after.declared_at }, data)
  }
  const emitParticipation = (
    kind: 'war.joined' | 'war.left',
    participant: StoredParticipant,
    time: string | null,
  ) => {
    const data = { war, participant, attacker, defender }
    batch.emit(kind, { ...about([participant]), at: time ?? at }, data)
  }
  for (const participant of joined) emitParticipation('war.joined', participant, participant.joined_at)
  for (const participant of left) emitParticipation('war.left', participant, participant.left_at)
  if (before?.status !== 'ended' && after.status === 'ended') {
    const data = { war, outcome, game_outcome, attacker, defender }
    const remaining = after.participants.filter(participant => !hasLeft(after, participant))
    batch.emit('war.ended', { ...about(remaining), at: after.ended_at ?? at }, data)
  }
}
