import { raw, type Sql } from './database.ts'

/** So many positions in a row are a stripe: what is counted by stripes is found in them, without a walk through all that comes before. */
const size = 512

/** The stripe of a position. A ranking round has PostgreSQL count the stripes by just this expression. */
export const blockOf = (position: string): string => `(${position} / ${size})`

/** Whether a position is in a stripe, said so that an index on positions finds those that are. */
export const isInBlock = (position: string, stripe: string): Sql =>
  raw(`${position} between ${stripe} * ${size} and ${stripe} * ${size} + ${size - 1}`)
