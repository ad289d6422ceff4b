import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { webhooks } from '@chancery/contract'
import { LRUCache } from 'lru-cache'

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

/** Making a key object takes five times as long as signing with it. Secrets are as many as endpoints. */
const keys = new LRUCache<string, KeyObject>({
  max: 5_000,
  memoMethod: secret => createSecretKey(Buffer.from(secret.slice(webhooks.secretPrefix.length), 'base64')),
})

/** The value of the signature header: one signature for each secret, the newest first. */
export const sign = ({ id, timestamp, body }: Signed, secrets: readonly string[]): string =>
  secrets
    .map(secret => {
      const hmac = createHmac('sha256', keys.memo(secret)).update(`${id}.${timestamp}.${body}`)
      return `v1,${hmac.digest('base64')}`
    })
    .join(' ')
