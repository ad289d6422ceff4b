import type { StatementListener } from '../store/database.ts'
import type { Logger } from './log.ts'

/** The state that the heartbeat reads, as far as it is logged. */
interface Heartbeat {
  seq: number
  worldVersion: number
  accessVersion: number
}

interface Attempt {
  result: { endpoint_id: string; attempt: number; state: string }
  response: { status: number | null; error: string | null; latencyMs: number }
}

/** The lines of level debug and trace that tell what the service does by itself. */
export interface BackgroundLog {
  heartbeat(beat: Heartbeat): void
  rankingRound(seconds: number): void
  fanOut(queued: number): void
  deliveryAttempt(attempt: Attempt): void
  /** Undefined above level trace, so that no statement is timed for nothing. */
  statement: StatementListener | undefined
}

export function createBackgroundLog(log: Logger): BackgroundLog {
  let accessVersion: number | undefined
  return {
    heartbeat(beat) {
      log.debug(
        { seq: beat.seq, world_version: beat.worldVersion },
        'heartbeat: the world version or a key changed',
      )
      if (accessVersion !== undefined && accessVersion !== beat.accessVersion)
        log.debug('cached keys are stale: a key or player was changed or revoked')
      accessVersion = beat.accessVersion
    },
    rankingRound(seconds) {
      log.debug({ duration_ms: Math.round(seconds * 1_000) }, 'ranking round')
    },
    fanOut(queued) {
      log.debug({ deliveries: queued }, 'webhook fan-out')
    },
    deliveryAttempt({ result: { endpoint_id, attempt, state }, response: { status, error, latencyMs } }) {
      log.debug(
        { endpoint: endpoint_id, attempt, state, status, reason: error, duration_ms: Math.round(latencyMs) },
        'webhook delivery attempt',
      )
    },
    statement: log.isLevelEnabled('trace')
      ? ({ role, text, rows, durationMs }) =>
          log.trace(
            { role, statement: text.replace(/\s+/g, ' ').trim(), rows, duration_ms: durationMs },
            'statement',
          )
      : undefined,
  }
}
