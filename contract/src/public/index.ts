import { changeOperations } from './changes.ts'
import { eventOperations } from './events.ts'
import { gameOperations, marketOperations } from './game.ts'
import { playerOperations } from './me.ts'
import { memberOperations, nationOperations, rankingOperations, treatyOperations } from './nations.ts'
import type { Operation } from './operation.ts'
import { battleOperations, conflictOperations, warOperations } from './wars.ts'

/** Every operation, in the order of the reference. */
export const operations = {
  ...nationOperations,
  ...memberOperations,
  ...treatyOperations,
  ...warOperations,
  ...battleOperations,
  ...marketOperations,
  ...rankingOperations,
  ...conflictOperations,
  ...eventOperations,
  ...changeOperations,
  ...playerOperations,
  ...gameOperations,
} as const satisfies Record<string, Operation>

/** Base paths of the public API. They return the same responses and share their limits. */
export const bases = { canonical: '/api/v1', mirror: '/api/public/v1' } as const
