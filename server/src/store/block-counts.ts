import { raw, type Sql } from './database.ts'

/** Positions per block. Counts by block find any page without a scan of all that comes before it. */
const size = 512

/** The block of a position. A ranking round creates statistics on exactly this expression. */
export const blockOf = (position: string): string => `(${position} / ${size})`

/** Whether a position is in a block, written so that an index on positions is used. */
export const isInBlock = (position: string, block: string): Sql =>
  raw(`${position} between ${block} * ${size} and ${block} * ${size} + ${size - 1}`)
