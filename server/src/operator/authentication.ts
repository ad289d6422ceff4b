import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasRole, type OperatorOperation, type OperatorRole, operatorOperations } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { bearerToken } from '../http/bearer-token.ts'
import { type Database, isUnavailable } from '../store/database.ts'
import { missingRole, missingToken } from './operator-error.ts'
import {
  findValidToken,
  hashOperatorToken,
  isOperatorTokenText,
  recordTokenUse,
  type ValidToken,
} from './token-store.ts'

/** The owner of the operator token of a request. */
export interface OperatorCaller {
  /** The token's id; `main` for the admin token. */
  id: string
  name: string
  roles: ReadonlySet<OperatorRole>
}

export const adminCaller: OperatorCaller = { id: 'main', name: 'main', roles: new Set(['admin']) }

/** The bearer token of a request; empty for none. */
export const bearerOf = (req: Pick<FastifyRequest, 'headers'>): string =>
  bearerToken(req.headers.authorization) ?? ''

export const isAdmin = ({ roles }: OperatorCaller): boolean => roles.has('admin')

export const actorOf = ({ id, name }: OperatorCaller) => ({ token_id: id, token_name: name })

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before authentication. */
    operator: OperatorCaller | null
  }
  interface FastifyContextConfig {
    /** The operation of a route of the operator API. */
    operatorOperation?: OperatorOperation
  }
}

/** Operations that must work while the database is unavailable. */
const allowsCachedToken: readonly OperatorOperation[] = [
  operatorOperations.metricsGet,
  operatorOperations.statusGet,
]

/**
 * Authenticates a request and checks the role for its operation. An unknown path requires a token too, so that the API reveals nothing.
 * @throws {OperatorError}
 */
export const createAuthenticate =
  (findCaller: FindCaller) =>
  async (req: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    const { operatorOperation: operation } = req.routeOptions.config
    const token = bearerOf(req)
    const allowsCached = operation !== undefined && allowsCachedToken.includes(operation)
    const caller = token === '' ? undefined : await findCaller(token, { allowsCached })
    if (!caller) throw missingToken()
    if (operation && !hasRole(caller.roles, operation.roles)) throw missingRole(caller.name, operation)
    req.operator = caller
  }

export interface FindCallerOptions {
  /** Acts as the access role. */
  db: Database
  adminToken: string
  onError: (error: unknown) => void
  now?: () => number
}

/**
 * Finds the caller of a token; undefined for a token that is unknown, revoked or expired. Every request reads the database, so that a
 * revocation takes effect everywhere at once. Rejects while the database is unavailable. Only with `allowsCached` a token that was valid
 * within the last ten minutes is accepted then.
 */
export type FindCaller = (
  token: string,
  options: { allowsCached: boolean },
) => Promise<OperatorCaller | undefined>

const cachedMs = 600_000
/** Shorter than the timeouts of metrics scrapers. */
const timeoutMs = 1_000

export function createFindCaller({ db, adminToken, onError, now = Date.now }: FindCallerOptions): FindCaller {
  const main = digest(adminToken)
  const cache = new LRUCache<string, { token: ValidToken; atMs: number }>({ max: 1_000 })

  async function load(text: string): Promise<ValidToken | undefined> {
    // Cached by hash: no token stays in memory after its request.
    const hash = hashOperatorToken(text)
    const atMs = now()
    const token = await findValidToken(db, hash)
    if (!token) {
      cache.delete(hash.toString('latin1'))
      return undefined
    }
    cache.set(hash.toString('latin1'), { token, atMs })
    if (token.is_use_old) recordTokenUse(db, token.id).catch(onError)
    return token
  }

  function findCached(text: string): ValidToken | undefined {
    const entry = cache.get(hashOperatorToken(text).toString('latin1'))
    if (!entry || now() - entry.atMs > cachedMs) return undefined
    const { token } = entry
    return token.expires_at !== null && Date.parse(token.expires_at) <= now() ? undefined : token
  }

  async function loadOrCached(text: string): Promise<ValidToken | undefined> {
    const cached = findCached(text)
    if (!cached) return load(text)
    const loading = load(text)
    const timeout = sleep(timeoutMs, cached, { ref: false })
    return Promise.race([loading, timeout]).catch(error => {
      if (isUnavailable(error)) return cached
      throw error
    })
  }

  return async (text, { allowsCached }) => {
    if (timingSafeEqual(digest(text), main)) return adminCaller
    if (!isOperatorTokenText(text)) return undefined
    const token = await (allowsCached ? loadOrCached(text) : load(text))
    return token && { id: token.id, name: token.name, roles: new Set(token.roles) }
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()
