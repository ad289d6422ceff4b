import type { DatabasePool } from '../store/database.ts'
import { hashCode, makeCodeText } from './code-text.ts'
import { type IssueProblem, insertCode } from './store.ts'

export interface IssuedCode {
  code: string
  expires_at: string
}

/** Makes a code for a nation; `boundTo` is the chat account that alone may redeem it. */
export async function issueCode(
  pool: DatabasePool,
  nationId: string,
  boundTo: string | null,
): Promise<IssuedCode | IssueProblem> {
  const code = makeCodeText()
  const hash = hashCode(code)
  if (!hash) throw new Error('a code that was just made has not the form of one')
  const stored = await insertCode(pool, hash, { nationId, boundTo })
  return typeof stored === 'string' ? stored : { code, expires_at: stored.expiresAt }
}
