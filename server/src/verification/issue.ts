import type { Database } from '../store/database.ts'
import { generateCode, hashCode } from './code-text.ts'
import { type CodeRecord, type IssueProblem, insertCode, type NewCode } from './store.ts'

/** A code that was just made, and its text, which is known this once. */
export interface IssuedCode extends CodeRecord {
  code: string
}

/** Makes a code for a nation; `boundTo` is the chat account that alone may redeem it. In a transaction. */
export async function issueCode(db: Database, wanted: NewCode): Promise<IssuedCode | IssueProblem> {
  const code = generateCode()
  const hash = hashCode(code)
  if (!hash) throw new Error('a code that was just made has not the form of one')
  const stored = await insertCode(db, hash, wanted)
  return typeof stored === 'string' ? stored : { code, ...stored }
}
