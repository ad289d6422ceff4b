import { hashToken } from '../account/session/tokens.ts'
import { type Database, sql } from '../store/database.ts'
import { hashCode } from '../verification/code-text.ts'
import { OperatorError } from './operator-error.ts'

/** How API keys, operator tokens and webhook secrets begin, with enough behind it to be one or a large part of one. */
const secret = /(?<![A-Za-z0-9])(?:chk|cho|whsec)_[A-Za-z0-9+/_-]{12}/

/** Whether a text has the form of a secret that this service hands out, or is the token of the call itself. */
export const holdsSecret = (text: string, token: string): boolean =>
  secret.test(text) || (token !== '' && text.includes(token))

/**
 * Refuses a secret where an id or a note belongs: whatever is stored or logged of a call is read by more people than may have it.
 * @throws {OperatorError} which names the place, and not what stands there.
 */
export async function refuseSecrets(
  db: Database,
  { id, body, token }: { id: string; body: unknown; token: string },
): Promise<void> {
  const texts = [{ place: 'the id in the path', text: id }, ...textsIn(body, '')]
  for (const { place, text } of texts)
    if (holdsSecret(text, token) || (await isHandedOut(db, text))) {
      throw new OperatorError(
        'bad_request',
        `Secret in ${place}: the value contains an API key, token, code or webhook secret. Remove it, and revoke the secret if others may have seen it.`,
      )
    }
}

/** Verification codes and the tokens of links and sessions have no form of their own: those that were handed out are known by their hashes. */
async function isHandedOut(db: Database, text: string): Promise<boolean> {
  const words = text.split(/[^A-Za-z0-9_-]+/)
  const codes = words.flatMap(word => hashCode(word) ?? [])
  const tokens = words.flatMap(word => hashToken(word) ?? [])
  if (codes.length + tokens.length === 0) return false
  const row = await db.first<{ is_known: boolean }>(sql`
    select exists (select from chancery_access.verification_code where hash = any(${codes}::bytea[]))
      or exists (select from chancery_access.handover where hash = any(${tokens}::bytea[]))
      or exists (select from chancery_access.session where hash = any(${tokens}::bytea[])) as is_known`)
  return row?.is_known ?? false
}

/** Every text of a body, with its place as a JSON pointer. */
function textsIn(value: unknown, place: string): { place: string; text: string }[] {
  if (typeof value === 'string') return [{ place, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, `${place}/${name}`))
}
