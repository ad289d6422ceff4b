export type * from './api-types.ts'
export type { CallOptions, Page } from './call-options.ts'
export { Chancery, type ChanceryOptions, type EventsWithFollow } from './chancery.ts'
export type { Clock } from './clock.ts'
export { ChanceryError, type ChanceryErrorCode, type ClientErrorCode, CursorExpired } from './errors.ts'
export type { Followed, FollowOptions } from './follow.ts'
export type { HookOptions, RequestInfo, ResponseInfo } from './hooks.ts'
export type { Mirror, MirrorChange, MirrorOptions, MirrorRunOptions } from './mirror.ts'
export type { MirroredItems, MirroredResource } from './mirrored.ts'
export type { RateLimit } from './rate-limiter.ts'
export {
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
  type WebhookHeaders,
  type WebhookMessage,
} from './verify-webhook.ts'
