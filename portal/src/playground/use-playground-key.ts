import type { Scope } from '@chancery/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useApiMutation, useClock, useRequest } from '../api/context.ts'
import { useBeforeSignOut } from '../session/use-session.ts'
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
 * with the first request, and revokes it when the player leaves or reloads the page, or signs out; one that is still being created when
 * it arrives. Keys are kept in the memory of the page alone.
 */
export function usePlaygroundKey() {
  const request = useRequest()
  const clock = useClock()
  const { default_scopes } = usePageInfo()
  const [authentication, setAuthentication] = useState<Authentication>('account')
  const [pasted, setPasted] = useState('')
  const [scopes, setScopesState] = useState<Scope[]>(default_scopes)
  const [expiresAt, setExpiresAt] = useState<string | null>(null)
  const temporary = useRef<Promise<TemporaryKey> | null>(null)
  const queryClient = useQueryClient()

  // The key is passed on, not returned: the result of a mutation stays in the mutation cache.
  const create = useApiMutation(
    async (request, onCreated: (created: TemporaryKey) => void) => {
      const until = new Date(clock.now() + lifetimeMs).toISOString()
      const { id, key } = await request('POST /keys', {
        body: { name: 'Playground', scopes, expires_at: until },
      })
      onCreated({ id, key, expiresAt: until })
    },
    ['keys'],
  )

  /** Concurrent requests share the key, also while it is being created. */
  const start = () => {
    const { promise, resolve, reject } = Promise.withResolvers<TemporaryKey>()
    temporary.current = promise
    create.mutateAsync(resolve).catch(reject)
    promise.then(
      ({ expiresAt: until }) => temporary.current === promise && setExpiresAt(until),
      () => {
        if (temporary.current === promise) temporary.current = null
      },
    )
    return promise
  }

  const discard = useCallback(async () => {
    const discarded = temporary.current
    temporary.current = null
    setExpiresAt(null)
    try {
      const key = await discarded
      if (!key) return
      await request('POST /keys/{id}/revoke', { id: key.id, keepalive: true })
      void queryClient.invalidateQueries({ queryKey: ['keys'] })
    } catch {
      // No key was created, or it expires within the hour.
    }
  }, [request, queryClient])
  useEffect(() => {
    addEventListener('pagehide', discard)
    return () => {
      removeEventListener('pagehide', discard)
      void discard()
    }
  }, [discard])
  useBeforeSignOut(discard)

  return {
    authentication,
    setAuthentication,
    pasted,
    setPasted,
    scopes,
    /** Other scopes need another key. */
    setScopes(changed: Scope[]) {
      void discard()
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
      const current = await temporary.current
      if (current && Date.parse(current.expiresAt) > clock.now() + marginMs) return current.key
      return (await start()).key
    },
    /** Called with the status of each response: after a 401 the temporary key was revoked elsewhere. */
    onResponse(status: number) {
      if (status === 401 && authentication === 'account') void discard()
    },
  }
}
