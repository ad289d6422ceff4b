import type { AccountSession } from '@chancery/contract'
import type { FastifyRequest } from 'fastify'
import type { AccountContext } from '../context.ts'
import { readSessionCookie } from './cookie.ts'
import type { SessionRecord } from './sessions.ts'
import { csrfTokenOf, hashToken, type TokenHash } from './tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in, on routes of the developer settings that ask for it. */
    signedIn: SignedIn | undefined
  }
}

/** Who is signed in in the browser that asks. */
export interface SignedIn extends SessionRecord {
  hash: TokenHash
  csrfToken: string
}

/** The token that a browser presents as its session's, whether or not it is one. */
const presentedToken = ({ publicUrl }: Pick<AccountContext, 'publicUrl'>, req: FastifyRequest) =>
  readSessionCookie(publicUrl(), req.headers.cookie)

/** Its hash, where it has the form of one. */
export function presentedHash(context: Pick<AccountContext, 'publicUrl'>, req: FastifyRequest) {
  const token = presentedToken(context, req)
  return token === undefined ? undefined : hashToken(token)
}

export async function findSignedIn(
  context: Pick<AccountContext, 'publicUrl' | 'findSession'>,
  req: FastifyRequest,
): Promise<SignedIn | undefined> {
  const token = presentedToken(context, req)
  const hash = token === undefined ? undefined : hashToken(token)
  if (token === undefined || hash === undefined) return undefined
  const session = await context.findSession(hash)
  return session && { ...session, hash, csrfToken: csrfTokenOf(token) }
}

export const sessionView = ({
  playerId,
  nation,
  landing,
  csrfToken,
  expiresAt,
}: Omit<SignedIn, 'hash' | 'isSuspended'>): AccountSession => ({
  player_id: playerId,
  nation,
  landing,
  csrf_token: csrfToken,
  expires_at: expiresAt,
})
