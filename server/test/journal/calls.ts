import type { LoggedRequest, ServedRequest } from '../../src/journal/request-ring.ts'

let made = 0

/** An answer to note; without more: 200 to a key. */
export function answeredCall(more: Partial<ServedRequest> = {}): ServedRequest {
  made += 1
  return {
    requestId: `req_${made.toString(16).padStart(16, '0')}`,
    keyId: 'key_1',
    address: '',
    operation: 'nations.get',
    status: 200,
    durationMs: 0.25,
    isDeprecated: false,
    ...more,
  }
}

/** Without a key, from an address. */
export const anonymousCall = (address: string, more: Partial<ServedRequest> = {}): ServedRequest =>
  answeredCall({ keyId: null, address, ...more })

export const callAt = (at: number, { isDeprecated: _, ...call }: ServedRequest): LoggedRequest => ({
  ...call,
  at,
})
