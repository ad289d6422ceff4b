import type { Handlers } from '../http/define-operation.ts'
import { ApiError } from '../http/http-error.ts'
import type { Pools } from '../store/pools.ts'
import { hashCode } from './code-text.ts'
import { type Redemption, redeemCode } from './store.ts'

const refusals = {
  unknown: 'verification_code_unknown',
  expired: 'verification_code_expired',
  used: 'verification_code_used',
} as const

export const verificationHandlers = ({ pools }: { pools: Pools }): Pick<Handlers, 'discordVerify'> => ({
  async discordVerify({ values, viewer, disclose }) {
    const hash = hashCode(values.code)
    const keyId = viewer.kind === 'key' ? viewer.key.id : null
    const redemption: Redemption = hash
      ? await redeemCode(pools.access, hash, { boundTo: values.for, keyId })
      : { outcome: 'unknown' }
    if (redemption.outcome !== 'redeemed') throw new ApiError(refusals[redemption.outcome])
    return { item: disclose.toPublic('verified_identity', redemption.identity) }
  },
})
