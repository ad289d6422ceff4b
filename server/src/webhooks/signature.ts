import { createHmac, randomBytes } from 'node:crypto'
import { webhooks } from '@chancery/contract'

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const makeSecret = (): string =>
  webhooks.secretPrefix + randomBytes(webhooks.secretBytes).toString('base64')

/** What a signature covers. */
interface Signed {
  id: string
  /** Unix seconds. */
  timestamp: number
  body: string
}

/** The value of the signature header: one signature for each secret, the newest first. */
export const sign = ({ id, timestamp, body }: Signed, secrets: readonly string[]): string =>
  secrets
    .map(secret => {
      const key = Buffer.from(secret.slice(webhooks.secretPrefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
