import { limits, operatorOperations } from '@chancery/contract'
import { notFound } from '../http/api-error.ts'
import { issueCode } from '../verification/issue.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'
import { OperatorError } from './operator-error.ts'

/** Verification codes, made for the game's own page or by hand. */
export function codeRoutes(define: DefineOperatorRoute, { pools }: Pick<OperatorContext, 'pools'>): void {
  define(operatorOperations.codesIssue, async ({ body: { nation_id, for: account } }) => {
    const wanted = { nationId: nation_id, boundTo: account ?? null }
    const issued = await pools.access.transaction(db => issueCode(db, wanted))
    if (issued === 'no_such_nation') throw notFound('nation')
    if (issued === 'too_many_codes') {
      throw new OperatorError(
        'bad_request',
        `This nation has ${limits.codesLivePerNation} live codes: let one be redeemed or expire.`,
      )
    }
    const { code, expiresAt } = issued
    return { subject: nation_id, body: { code, expires_at: expiresAt } }
  })
}
