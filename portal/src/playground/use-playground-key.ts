import type { Scope } from '@chancery/contract'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useApiMutation, useClock, useRequest } from '../api/context.ts'
import { usePageInfo } from '../ui/use-page-info.ts'

/** What authenticates requests: a temporary key of the player, a key that the player pastes, or nothing. */
export type Authentication = 'account' | 'pasted' | 'anonymous'

/** Whether a text can be a key: all other characters are invalid in a header. */
export const isKeyText = (text: string) => /^[\x21-\x7e]+$/.test(text)

const lifetimeMs = 3_600_000
/** A key that expires sooner is replaced: the request must reach the server before. */
const marginMs = 10_000

interface TemporaryKey {
  id: string
  key: string
  expiresAt: string
}

export type PlaygroundKey = ReturnType<typeof usePlaygroundKey>

/**
 * The key that requests use. Keys are shown only once, so that the page cannot use one that the player has: it creates a temporary key
 * with the first request, and revokes it when the player leaves the page. Keys are kept in the memory of the page alone.
 */
export function usePlaygroundKey() {
  const request = useRequest()
  const clock = useClock()
  const { default_scopes } = usePageInfo()
  const [authentication, setAuthentication] = useState<Authentication>('account')
  const [pasted, setPasted] = useState('')
  const [scopes, setScopesState] = useState<Scope[]>(default_scopes)
  const [expiresAt, setExpiresAt] = useState<string | null>(null)
  const temporary = useRef<TemporaryKey | null>(null)

  const create = useApiMutation(async () => {
    const until = new Date(clock.now() + lifetimeMs).toISOString()
    const { id, key } = await request('POST /keys', {
      body: { name: 'Playground', scopes, expires_at: until },
    })
    // Not returned: the result of a mutation stays in the mutation cache.
    temporary.current = { id, key, expiresAt: until }
    setExpiresAt(until)
  }, ['keys'])

  const discard = useCallback(() => {
    const discarded = temporary.current
    temporary.current = null
    // If this fails, the key expires within the hour.
    if (discarded) request('POST /keys/{id}/revoke', { id: discarded.id }).catch(() => undefined)
  }, [request])
  useEffect(() => discard, [discard])

  const reset = () => {
    discard()
    setExpiresAt(null)
  }

  return {
    authentication,
    setAuthentication,
    pasted,
    setPasted,
    scopes,
    /** Other scopes need another key. */
    setScopes(changed: Scope[]) {
      reset()
      setScopesState(changed)
    },
    /** When the temporary key expires; null before it is created. */
    expiresAt,
    hasKey: authentication !== 'anonymous',
    /** What is missing before a request can be sent; null for nothing. */
    missing:
      authentication === 'pasted' && !isKeyText(pasted)
        ? 'Enter a key first.'
        : authentication === 'account' && scopes.length === 0
          ? 'Select at least one scope.'
          : null,
    /** The key to send, which is created if there is none. */
    async resolve(): Promise<string | null> {
      if (authentication === 'anonymous') return null
      if (authentication === 'pasted') return pasted
      const isUsable =
        temporary.current !== null && Date.parse(temporary.current.expiresAt) > clock.now() + marginMs
      if (!isUsable) await create.mutateAsync(undefined)
      return temporary.current?.key ?? null
    },
    /** Called with the status of each response: after a 401 the temporary key was revoked elsewhere. */
    onResponse(status: number) {
      if (status === 401 && authentication === 'account') reset()
    },
  }
}
