const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const units = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
] as const

/** Like "20 Nov 2026, 09:15", in the reader's time zone. */
export const formatTime = (time: string) => dateTime.format(new Date(time))

/** Like "5 minutes ago" or "in 3 days". */
export function formatRelativeTime(time: string, nowMs: number): string {
  const distanceMs = Date.parse(time) - nowMs
  const unit = units.find(({ ms }) => Math.abs(distanceMs) >= ms)
  if (!unit) return distanceMs > 0 ? 'in less than a minute' : 'just now'
  return relative.format(Math.round(distanceMs / unit.ms), unit.name)
}

/** Like "9:07", of what is left. */
export function formatCountdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** What is left in words that make sense when heard. */
export function describeCountdown(leftMs: number): string {
  const minutes = Math.ceil(leftMs / 60_000)
  return minutes === 1 ? 'less than a minute' : `${minutes} minutes`
}
