import type { Operations } from '@chancery/client'

/** What commands ask of the client: so that a test can give them less than a whole one. */
export type Api = Omit<Operations, 'me'>
