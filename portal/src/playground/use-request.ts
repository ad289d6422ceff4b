import { useEffect, useRef, useState } from 'react'
import { unreachableError } from '../api/request.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { type ApiResponse, sendRequest } from './request.ts'

/** A call that was answered or not, as it was sent. */
export interface RequestOutcome {
  target: string
  hasKey: boolean
  result: { answer: ApiResponse } | { error: Error }
}

/** The last call. Not a query: its key would be kept in the cache of queries. */
export function useApiRequest() {
  const { api_url } = usePageInfo()
  const announce = useAnnounce()
  const [isPending, setPending] = useState(false)
  const [outcome, setOutcome] = useState<RequestOutcome | null>(null)
  const running = useRef<AbortController | null>(null)

  useEffect(() => () => running.current?.abort(), [])

  const call = async (target: string, key: string | null) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setPending(true)
    setOutcome(null)
    const result = await sendRequest(api_url, target, key, controller.signal).then(
      answer => ({ answer }),
      () => ({ error: unreachableError() }),
    )
    if (controller.signal.aborted) return
    setPending(false)
    setOutcome({ target, hasKey: key !== null, result })
    if ('answer' in result)
      announce(`Answered with status ${result.answer.status} in ${result.answer.durationMs} milliseconds.`)
  }
  return { call, isPending, outcome }
}
