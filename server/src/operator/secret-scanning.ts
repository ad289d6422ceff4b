import { hashToken } from '../account/session/tokens.ts'
import { type Database, sql } from '../store/database.ts'
import { hashCodesIn } from '../verification/code-text.ts'
import { OperatorError } from './operator-error.ts'

/** The prefixes of API keys, operator tokens and webhook secrets, with enough characters after them to be one or most of one. */
const secret = /(?<![A-Za-z0-9])(?:chk|cho|whsec)_[A-Za-z0-9+/_-]{12}/

/** Whether a text contains a secret of this service by its form, or the token of the request. */
export const containsSecret = (text: string, token: string): boolean =>
  secret.test(text) || (token !== '' && text.includes(token))

/**
 * Rejects secrets in ids and bodies: what is stored or logged has more readers than the secret may have.
 * @throws {OperatorError} naming the place, not the value.
 */
export async function rejectSecrets(
  db: Database,
  { id, body, token }: { id: string; body: unknown; token: string },
): Promise<void> {
  const texts = [{ place: 'the id in the path', text: id }, ...stringsIn(body, '')]
  for (const { place, text } of texts)
    if (containsSecret(text, token) || (await isIssued(db, text))) {
      throw new OperatorError(
        'bad_request',
        `Secret in ${place}: the value contains an API key, token, code or webhook secret. Remove it, and revoke the secret if others may have seen it.`,
      )
    }
}

/** Verification codes and the tokens of links and sessions have no prefix: issued ones are found by their hashes. */
async function isIssued(db: Database, text: string): Promise<boolean> {
  const codes = hashCodesIn(text)
  const tokens = text.split(/[^A-Za-z0-9_-]+/).flatMap(word => hashToken(word) ?? [])
  if (codes.length + tokens.length === 0) return false
  const row = await db.first<{ is_known: boolean }>(sql`
    select exists (select from chancery_access.verification_code where hash = any(${codes}::bytea[]))
      or exists (select from chancery_access.handover where hash = any(${tokens}::bytea[]))
      or exists (select from chancery_access.session where hash = any(${tokens}::bytea[])) as is_known`)
  return row?.is_known ?? false
}

/** All strings of a body, each with its JSON pointer. */
function stringsIn(value: unknown, place: string): { place: string; text: string }[] {
  if (typeof value === 'string') return [{ place, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => stringsIn(member, `${place}/${name}`))
}
