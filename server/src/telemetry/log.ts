import { writeSync } from 'node:fs'
import pino, { type Logger } from 'pino'

export type { Logger } from 'pino'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * The log: JSON lines of what fails and of the service's own life. Requests that go well are not logged.
 * Nothing secret is ever passed in; the list of redactions is a second lock on that door.
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
 * Writes lines to a file descriptor. Lines that cannot be written (the reader is gone, the disk is full, the reader is slower than
 * a buffer of 1 MB) are dropped and counted: pino's own destination ends the process or blocks it.
 */
export function createLogDestination(fd: number, onDropped: () => void): pino.DestinationStream {
  /** Lines that a slow reader has not taken yet; the first may be written in part. */
  const buffer: Buffer[] = []
  let bufferedBytes = 0

  /** False where the reader takes nothing now. */
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
      // What waits already has a timer, and the order of lines is kept.
      if (buffer.push(line) === 1) flush()
    },
  }
}
