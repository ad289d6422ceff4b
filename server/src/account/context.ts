import type { Contract, PageInfo } from '@chancery/contract'
import type { RequestLog } from '../journal/request-log.ts'
import type { LimitStore } from '../limits/rate-limit.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import { createExplore, type Explore } from './explore.ts'
import type { Logo } from './page/logo.ts'
import { createPageInfo } from './page/page-info.ts'
import { createFindSession, type FindSession } from './session/sessions.ts'

/** What the developer settings are given. */
export interface AccountParts {
  contract: Contract
  pools: Pools
  pulse: Pulse
  limits: LimitStore
  webhooks: WebhookSettings
  requestLog: Pick<RequestLog, 'read'>
  /** Calls in one window with a key that has no limit of its own. */
  keyLimit: number
  /** What callers see in front of the public listener, once it listens. */
  publicUrl: () => string
  /** Whether anybody on this machine may sign in as any player. */
  demoSignIn: boolean
  webhooksAllowLocal: boolean
  /** The accent colour of the page, as #rrggbb. */
  pageColor: string
  pageLogo: Logo | undefined
}

/** What they work with: also what is made once from that. */
export interface AccountContext extends AccountParts {
  pageInfo: () => Omit<PageInfo, 'is_demo'>
  explore: Explore
  findSession: FindSession
}

export const createAccountContext = (parts: AccountParts): AccountContext => ({
  ...parts,
  pageInfo: createPageInfo(parts),
  explore: createExplore(parts),
  findSession: createFindSession(parts.pools.access),
})
