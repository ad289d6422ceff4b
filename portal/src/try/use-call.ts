import { useEffect, useRef, useState } from 'react'
import { unreachable } from '../api/request.ts'
import { useAnnounce } from '../page/announcer.tsx'
import { usePageInfo } from '../page/use-page-info.ts'
import { type Answer, send } from './call.ts'

/** A call that was answered or not, as it was sent. */
export interface Outcome {
  target: string
  hasKey: boolean
  result: { answer: Answer } | { error: Error }
}

/** The last call. Not a query: its key would be kept in the cache of queries. */
export function useCall() {
  const { api_url } = usePageInfo()
  const announce = useAnnounce()
  const [isPending, setPending] = useState(false)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const running = useRef<AbortController | null>(null)

  useEffect(() => () => running.current?.abort(), [])

  const call = async (target: string, key: string | null) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setPending(true)
    setOutcome(null)
    const result = await send(api_url, target, key, controller.signal).then(
      answer => ({ answer }),
      () => ({ error: unreachable() }),
    )
    if (controller.signal.aborted) return
    setPending(false)
    setOutcome({ target, hasKey: key !== null, result })
    if ('answer' in result)
      announce(`Answered with status ${result.answer.status} in ${result.answer.tookMs} milliseconds.`)
  }
  return { call, isPending, outcome }
}
