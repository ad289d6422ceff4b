import { useEffect, useState } from 'react'
import { takeHandoverToken } from './handover-token.ts'

/** The hand-over link that waits for an answer, if any. A link opened where the page is already open only changes the fragment. */
export function useHandoverToken(firstToken: string | null) {
  const [token, setToken] = useState(firstToken)
  useEffect(() => {
    const onChange = () => {
      const next = takeHandoverToken()
      if (next) setToken(next)
    }
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return { token, drop: () => setToken(null) }
}
