import type { Answer } from '../exchange.ts'

/** A server that is measured. */
export interface Contestant {
  id: string
  /** How a table calls it. */
  title: string
  url: string
  /** Its process; those that it starts are counted with it. */
  pid: number
  /** For those that give an answer again: this one, from now on. */
  replay?(answer: Answer): Promise<void>
  close(): Promise<void>
}
