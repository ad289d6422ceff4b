import examples from '../../examples.json' with { type: 'json' }
import type { Contract } from '../contract.ts'
import { demoProfile } from '../profile/demo.ts'

/** What a server answered. */
export interface Recording {
  /** The path below a base, with its query. */
  request: string
  answer: unknown
}

/** By operation and component. tools/record-examples.ts writes them, from a world of the demo game. */
const recordings: Record<string, Record<string, Recording>> = examples

/** None for another game, whose words are not those of the demo, nor for what is not recorded yet. */
export const recordingOf = (
  { profile }: Contract,
  operationId: string,
  component: string,
): Recording | undefined => (profile === demoProfile ? recordings[operationId]?.[component] : undefined)
