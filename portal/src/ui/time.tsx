import { useEffect, useState } from 'react'
import { useClock } from '../api/context.ts'
import { formatNearTime, formatTime } from './near-time.ts'

export { formatTime }

const dateTimeWithSeconds = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const dateOnly = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const units = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
] as const

/** The server's time in milliseconds, updated at an interval. */
export function useNow(intervalMs: number, isRunning = true): number {
  const clock = useClock()
  const [now, setNow] = useState(clock.now)
  useEffect(() => {
    if (!isRunning) return
    setNow(clock.now())
    const timer = setInterval(() => setNow(clock.now()), intervalMs)
    return () => clearInterval(timer)
  }, [clock, intervalMs, isRunning])
  return now
}

/** Relative time ("5 minutes ago", "in 3 days") with the exact time as its tooltip. */
export function TimeAgo({ time }: { time: string }) {
  const now = useNow(20_000)
  return (
    <time dateTime={time} title={formatTime(time)}>
      {formatRelativeTime(time, now)}
    </time>
  )
}

export const TimeOrNever = ({ time }: { time: string | null }) => (time ? <TimeAgo time={time} /> : 'Never')

/** A time by its day ("tomorrow 08:13") with the exact time as its tooltip. */
export function NearTime({ time }: { time: string }) {
  const now = useNow(20_000)
  return (
    <time dateTime={time} title={formatTime(time)}>
      {formatNearTime(time, now)}
    </time>
  )
}

export const ExactTime = ({ time }: { time: string }) => <time dateTime={time}>{formatTime(time)}</time>

/** For times of which several fall into a minute. */
export const TimeWithSeconds = ({ time }: { time: string }) => (
  <time dateTime={time}>{formatTimeWithSeconds(time)}</time>
)

/** Like "20 Nov 2026, 09:15:22", in the browser's time zone. */
export const formatTimeWithSeconds = (time: string) => dateTimeWithSeconds.format(new Date(time))

/** The day in UTC, like "20 Nov 2026". */
export const formatDay = (time: string) => dateOnly.format(new Date(time))

function formatRelativeTime(time: string, nowMs: number): string {
  const distanceMs = Date.parse(time) - nowMs
  const unit = units.find(({ ms }) => Math.abs(distanceMs) >= ms)
  if (!unit) return distanceMs > 0 ? 'in less than a minute' : 'just now'
  return relative.format(Math.round(distanceMs / unit.ms), unit.name)
}

/** Like "9:07". */
export function formatCountdown(remainingMs: number): string {
  const seconds = Math.max(0, Math.ceil(remainingMs / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
