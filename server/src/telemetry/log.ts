import { writeSync } from 'node:fs'
import pino, { type Logger } from 'pino'
import type { StatementListener } from '../store/database.ts'
import type { Heartbeat } from '../store/pulse.ts'

export type { Logger } from 'pino'

// Logs, metrics (`metrics.ts`) and the states of failing background tasks (`task-failures.ts`). No line and no label contains a secret.

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * The log: JSON lines about failures and about state changes of the service. Successful requests are only logged at level debug. Callers
 * never pass secrets; the redaction list is a second safeguard.
 */
export function createLog(level: LogLevel, destination: pino.DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: [
        'key',
        'code',
        'secret',
        'token',
        'password',
        'authorization',
        '*.authorization',
        '*.password',
      ],
    },
    destination,
  )
}

const bufferBytesMax = 1_048_576
const retryMs = 50

/**
 * Writes lines to a file descriptor. Lines that cannot be written (the pipe is closed, the disk is full, the reader is slower than a
 * buffer of 1 MB) are dropped and counted: pino's own destination would exit the process or block it.
 */
export function createLogDestination(fd: number, onDropped: () => void): pino.DestinationStream {
  /** Lines that are not written yet; of the first a part may be. */
  const buffer: Buffer[] = []
  let bufferedBytes = 0

  /** Returns false if the reader accepts nothing now. */
  function writeFirst(): boolean {
    const [line] = buffer
    if (line === undefined) return true
    let written = line.length
    try {
      written = writeSync(fd, line)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false
      onDropped()
    }
    bufferedBytes -= written
    if (written < line.length) buffer[0] = line.subarray(written)
    else buffer.shift()
    return true
  }

  function flush(): void {
    while (buffer.length > 0) if (!writeFirst()) return void setTimeout(flush, retryMs).unref()
  }

  return {
    write(text) {
      const line = Buffer.from(text)
      if (bufferedBytes + line.length > bufferBytesMax) return onDropped()
      bufferedBytes += line.length
      // If lines are queued, a timer is set already.
      if (buffer.push(line) === 1) flush()
    },
  }
}

interface Attempt {
  result: { endpoint_id: string; attempt: number; state: string }
  response: { status: number | null; error: string | null; latencyMs: number }
}

export type BackgroundLog = ReturnType<typeof createBackgroundLog>

/** Lines of level debug and trace about background work. */
export function createBackgroundLog(log: Logger) {
  let accessVersion: number | undefined
  return {
    heartbeat(beat: Pick<Heartbeat, 'seq' | 'worldVersion' | 'accessVersion'>): void {
      log.debug(
        { seq: beat.seq, world_version: beat.worldVersion },
        'heartbeat: the world version or a key changed',
      )
      if (accessVersion !== undefined && accessVersion !== beat.accessVersion)
        log.debug('cached keys are stale: a key or player was changed or revoked')
      accessVersion = beat.accessVersion
    },
    rankingRound(seconds: number): void {
      log.debug({ duration_ms: Math.round(seconds * 1_000) }, 'ranking round')
    },
    fanOut(queued: number): void {
      log.debug({ deliveries: queued }, 'webhook fan-out')
    },
    deliveryAttempt({ result, response }: Attempt): void {
      const { endpoint_id, attempt, state } = result
      const { status, error, latencyMs } = response
      log.debug(
        { endpoint: endpoint_id, attempt, state, status, reason: error, duration_ms: Math.round(latencyMs) },
        'webhook delivery attempt',
      )
    },
    /** Undefined above level trace, so that statements are not timed in vain. */
    statement: log.isLevelEnabled('trace')
      ? ({ role, text, rows, durationMs }: Parameters<StatementListener>[0]) =>
          log.trace(
            { role, statement: text.replace(/\s+/g, ' ').trim(), rows, duration_ms: durationMs },
            'statement',
          )
      : undefined,
  }
}
