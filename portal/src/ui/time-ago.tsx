import { formatRelativeTime, formatTime } from './format-time.ts'
import { useNow } from './use-now.ts'

/** How long ago, or how soon; the time itself when pointed at. */
export function TimeAgo({ time }: { time: string }) {
  const now = useNow(20_000)
  return (
    <time dateTime={time} title={formatTime(time)}>
      {formatRelativeTime(time, now)}
    </time>
  )
}

export const TimeOrNever = ({ time }: { time: string | null }) => (time ? <TimeAgo time={time} /> : 'Never')

/** The time itself, for what is looked up rather than followed. */
export const ExactTime = ({ time }: { time: string }) => <time dateTime={time}>{formatTime(time)}</time>
