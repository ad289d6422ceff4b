import pino, { type Logger } from 'pino'

export type { Logger } from 'pino'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * The log: JSON lines of what fails and of the service's own life. Requests that go well are not logged.
 * Nothing secret is ever passed in; the list of redactions is a second lock on that door.
 */
export function createLog(level: LogLevel, destination?: pino.DestinationStream): Logger {
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
    destination ?? pino.destination(2),
  )
}
