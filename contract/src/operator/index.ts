import { addressesList, addressesRemoveLimit, addressesSetLimit } from './addresses.ts'
import { logList } from './audit-log.ts'
import { backupTake } from './backup.ts'
import { factsSend, feedsGet } from './facts.ts'
import { feedsHeartbeat, feedsRemoveSender } from './heartbeats.ts'
import { codesIssue, handoversCreate } from './identity.ts'
import { keysCreate, keysList, keysRequests, keysRevoke, keysSetLimit } from './keys.ts'
import { limitRequestsApprove, limitRequestsDecline, limitRequestsList } from './limit-requests.ts'
import { playersExport, playersGet, playersList, playersResume, playersSuspend } from './players.ts'
import { profileCompare, profileGet } from './profile.ts'
import { refusedDrop, refusedDropAll, refusedGet, refusedList, refusedRetry } from './refused.ts'
import { requestsGet, usageAddresses, usageKeys } from './requests.ts'
import { metricsGet, statusGet } from './status.ts'
import { tokensCreate, tokensList, tokensRevoke, tokensRotate } from './tokens.ts'
import { webhooksDeliveries, webhooksReplay } from './webhook-deliveries.ts'
import {
  webhooksAdd,
  webhooksDisable,
  webhooksEnable,
  webhooksGet,
  webhooksList,
  webhooksRemove,
  webhooksRotate,
  webhooksTest,
} from './webhooks.ts'

export { type OperatorErrorCode, operatorErrors } from './errors.ts'
export {
  type BatchOutcome,
  type BatchStatus,
  batchStatusNames,
  outcomeSchema,
  type Rejection,
} from './facts.ts'
export type { Heartbeat } from './heartbeats.ts'
export {
  type BodyOf,
  hasRole,
  type OperatorMethod,
  type OperatorOperation,
  type OperatorRole,
  operatorRoleNames,
  operatorRoles,
  type QueryOf,
  type RequestOf,
  type ResponseOf,
} from './operation.ts'
export type { DroppedBatch, RejectedBatch, RejectedBatchWithContent } from './refused.ts'
export { isStatusMemberFor } from './status.ts'
export type { OperatorTokenRecord } from './tokens.ts'

/** The operator API, in the order of its reference. */
export const operatorOperations = {
  factsSend,
  feedsGet,
  feedsHeartbeat,
  feedsRemoveSender,
  refusedList,
  refusedGet,
  refusedRetry,
  refusedDrop,
  refusedDropAll,
  codesIssue,
  handoversCreate,
  keysCreate,
  keysList,
  keysRevoke,
  keysSetLimit,
  limitRequestsList,
  limitRequestsApprove,
  limitRequestsDecline,
  playersList,
  playersGet,
  playersExport,
  playersSuspend,
  playersResume,
  webhooksAdd,
  webhooksList,
  webhooksGet,
  webhooksTest,
  webhooksEnable,
  webhooksDisable,
  webhooksRotate,
  webhooksDeliveries,
  webhooksReplay,
  webhooksRemove,
  requestsGet,
  keysRequests,
  usageKeys,
  usageAddresses,
  addressesList,
  addressesSetLimit,
  addressesRemoveLimit,
  tokensCreate,
  tokensList,
  tokensRotate,
  tokensRevoke,
  logList,
  statusGet,
  metricsGet,
  profileGet,
  profileCompare,
  backupTake,
} as const
export type { WebhookAttempt, WebhookDelivery, WebhookTestResult } from './webhook-deliveries.ts'
export type { WebhookEndpoint } from './webhooks.ts'
