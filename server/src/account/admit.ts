import { limits as promises } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressBucket, type RateLimitState } from '../limits/rate-limit.ts'
import { AccountError } from './account-error.ts'
import type { AccountContext } from './context.ts'
import { ownOrigins } from './demo-host.ts'
import { isSameOriginChange, isSameOriginRead } from './session/same-origin.ts'
import { findSignedIn, type SignedIn } from './session/signed-in.ts'
import { isSameText } from './session/tokens.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a path of the developer settings takes. */
    account?: { allow: string; needsSession: boolean }
  }
}

const ownHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // No other site may embed an answer, whatever it takes it for.
  'cross-origin-resource-policy': 'same-origin',
}

/** Runs before every route of the page's own API: whether it is there, who asks from where, and whether that is not too often. */
export function createAdmit(context: AccountContext) {
  return async (req: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.headers(ownHeaders).header('x-request-id', req.id)
    const { account } = req.routeOptions.config
    if (!account) throw new AccountError('not_found', 'Nothing is here.')
    if (!account.allow.split(', ').includes(req.method))
      throw new AccountError('method_not_allowed', undefined, { allow: account.allow })
    const isChange = req.method !== 'GET' && req.method !== 'HEAD'
    const isOwn = isChange ? isSameOriginChange : isSameOriginRead
    if (!isOwn(req.headers, ownOrigins(context, req)) || hasForeignBody(req))
      throw new AccountError('cross_site')

    const session = account.needsSession ? await findSignedIn(context, req) : undefined
    await takeOne(context, req, { isChange, session })
    if (!account.needsSession) return
    if (!session) throw new AccountError('session_required')
    if (session.isSuspended)
      throw new AccountError('session_required', 'This player is suspended. Ask those who run the game.')
    if (isChange && !isSameText(String(req.headers['x-csrf-token']), session.csrfToken))
      throw new AccountError('cross_site')
    req.signedIn = session
  }
}

/** A body that is not JSON: what a form of any site can send. */
function hasForeignBody({ headers }: FastifyRequest): boolean {
  const type = headers['content-type']
  if (type !== undefined) return !/^application\/json *(;|$)/i.test(type)
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Takes a call from the session's window; without a session, from that of the address: so sign-ins are counted too. */
async function takeOne(
  { limits }: AccountContext,
  req: FastifyRequest,
  { isChange, session }: { isChange: boolean; session: SignedIn | undefined },
): Promise<void> {
  const who = session ? session.hash.toString('base64url') : `ip:${addressBucket(req.ip)}`
  const { isAllowed, retryAfterSeconds }: RateLimitState = isChange
    ? await limits.consume(`account:change:${who}`, promises.accountChanges)
    : await limits.consume(`account:read:${who}`, promises.accountReads)
  if (!isAllowed)
    throw new AccountError('rate_limited', undefined, { 'retry-after': String(retryAfterSeconds) })
}
