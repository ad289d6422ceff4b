import { useEffect, useState } from 'react'
import { useClock } from '../api/context.ts'

/** The server's time, anew every so often. */
export function useNow(everyMs: number, isTicking = true): number {
  const clock = useClock()
  const [now, setNow] = useState(clock.now)
  useEffect(() => {
    if (!isTicking) return
    setNow(clock.now())
    const timer = setInterval(() => setNow(clock.now()), everyMs)
    return () => clearInterval(timer)
  }, [clock, everyMs, isTicking])
  return now
}
