import { codeOperations } from './codes.ts'
import { keyOperations } from './keys.ts'
import { pageOperations } from './page.ts'
import { sessionOperations } from './session.ts'
import { webhookOperations } from './webhooks.ts'

export * from './actions.ts'
export type * from './codes.ts'
export * from './errors.ts'
export type * from './keys.ts'
export type { AccountInput, AccountList, AccountOperation, AccountResponse } from './operation.ts'
export type * from './page.ts'
export type * from './session.ts'
export { demoKeyPrefix, landings } from './session.ts'
export type * from './webhooks.ts'

/** The account API. */
export const accountOperations = {
  ...pageOperations,
  ...sessionOperations,
  ...codeOperations,
  ...keyOperations,
  ...webhookOperations,
}
