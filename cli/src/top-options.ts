import type { Command } from 'commander'
import { wholeNumber } from './option-values.ts'

/** How far back who calls most is told, and how many are. */
export interface TopOptions {
  hours: number
  limit: number
  json: boolean
}

/** Gives a command these options. */
export function withTopOptions(command: Command, hoursMax: number): Command {
  return command
    .option('--hours <n>', 'how far back, in hours of the clock', wholeNumber(1, hoursMax), 24)
    .option('--limit <n>', 'how many', wholeNumber(1, 1_000), 20)
    .option('--json', 'print one JSON document', false)
}

export const topPath = (path: string, { hours, limit }: TopOptions): string =>
  `${path}?hours=${hours}&limit=${limit}`
