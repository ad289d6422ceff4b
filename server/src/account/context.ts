import type { AccountOperation, AccountResponse, Contract } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { InputOf } from '../http/definer.ts'
import type { LimitStore } from '../limits/rate-limit.ts'
import type { RequestLog } from '../request-log/request-log.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Logger } from '../telemetry/log.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import type { Logo } from './page/page.ts'
import type { FindSession, Session } from './session/sessions.ts'

/** Dependencies of the account API. */
export interface AccountParts {
  contract: Contract
  pools: Pools
  pulse: Pulse
  limits: LimitStore
  log: Logger
  webhooks: WebhookSettings
  requestLog: Pick<RequestLog, 'read'>
  /** Requests per window with a key that has no limit of its own. */
  keyLimit: number
  /** The public listener's external URL, known once it listens. */
  publicUrl: () => string
  /** Whether visitors on this machine may sign in as any player. */
  demoSignIn: boolean
  webhooksAllowLocal: boolean
  /** The accent colour of the page, as #rrggbb. */
  pageColor: string
  pageLogo: Logo | undefined
}

export interface AccountContext extends AccountParts {
  findSession: FindSession
}

/** A request that needs no session. */
export interface OpenRequest {
  req: FastifyRequest
  reply: FastifyReply
}

/** A request of a player who is signed in. */
export interface PlayerRequest extends OpenRequest {
  session: Session
}

/** Registers an operation of the account API. Its handler returns the operation's response. */
export type DefineAccount<Request> = <O extends AccountOperation>(
  operation: O,
  handler: (request: InputOf<O> & Request) => Promise<AccountResponse<O>>,
) => void

export interface Definers {
  open: DefineAccount<OpenRequest>
  player: DefineAccount<PlayerRequest>
}
