import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { hashOperatorToken, isOperatorTokenText } from '../access/operator-token-text.ts'
import { findValidToken, recordTokenUse, type ValidToken } from '../access/operator-tokens.ts'
import { type Database, isUnavailable } from '../store/database.ts'
import { mainCaller, type OperatorCaller } from './caller.ts'

export interface IdentifyOptions {
  /** Acts as the access role. */
  db: Database
  mainToken: string
  onError: (error: unknown) => void
  now?: () => number
}

/**
 * Says whose token this is; undefined where it is unknown, revoked or expired. Every call asks the database, so that a revoked
 * token ends everywhere at once. Rejects where the database is away: that is never "no such token". Only where `trustsMemory`, for
 * what must go on then, a token that was valid within the last ten minutes is taken on its word.
 */
export type FindCaller = (
  text: string,
  options: { trustsMemory: boolean },
) => Promise<OperatorCaller | undefined>

const rememberedMs = 600_000
/** Who reads metrics gives up after some seconds: a database that says nothing for so long counts as away. */
const patienceMs = 1_000

export function createFindCaller({ db, mainToken, onError, now = Date.now }: IdentifyOptions): FindCaller {
  const main = digest(mainToken)
  const remembered = new LRUCache<string, { token: ValidToken; atMs: number }>({ max: 1_000 })

  async function lookUp(text: string): Promise<ValidToken | undefined> {
    // Remembered under its hash: no memory of this process holds a token longer than its call.
    const hash = hashOperatorToken(text)
    const askedMs = now()
    const token = await findValidToken(db, hash)
    if (!token) {
      remembered.delete(hash.toString('latin1'))
      return undefined
    }
    remembered.set(hash.toString('latin1'), { token, atMs: askedMs })
    if (token.is_use_old) recordTokenUse(db, token.id).catch(onError)
    return token
  }

  function recall(text: string): ValidToken | undefined {
    const known = remembered.get(hashOperatorToken(text).toString('latin1'))
    if (!known || now() - known.atMs > rememberedMs) return undefined
    const { token } = known
    return token.expires_at !== null && Date.parse(token.expires_at) <= now() ? undefined : token
  }

  async function lookUpOrRecall(text: string): Promise<ValidToken | undefined> {
    const known = recall(text)
    if (!known) return lookUp(text)
    const asked = lookUp(text)
    const silence = sleep(patienceMs, known, { ref: false })
    return Promise.race([asked, silence]).catch(error => {
      if (isUnavailable(error)) return known
      throw error
    })
  }

  return async (text, { trustsMemory }) => {
    if (timingSafeEqual(digest(text), main)) return mainCaller
    if (!isOperatorTokenText(text)) return undefined
    const token = await (trustsMemory ? lookUpOrRecall(text) : lookUp(text))
    return token && { id: token.id, name: token.name, roles: new Set(token.roles) }
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()
