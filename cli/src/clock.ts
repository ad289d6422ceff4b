const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** The beginning of the current hour, as RFC 3339. */
export function thisHour(): string {
  const hour = Math.floor(Date.now() / hourMs) * hourMs
  return new Date(hour).toISOString().replace('.000Z', 'Z')
}

/** 2026-03-01 12:00, in UTC as all that the service tells. */
export const minute = (time: string) => time.slice(0, 16).replace('T', ' ')

/** 03-01 12:00:05, where the year is plain. */
export const second = (time: string) => time.slice(5, 19).replace('T', ' ')

/** `in 5 s`, `in 30 min`, `in 14 h`; what is due already is `now`. */
export function fromNow(time: string, nowMs: number): string {
  const ms = Date.parse(time) - nowMs
  if (ms <= 0) return 'now'
  if (ms < 2 * minuteMs) return `in ${Math.ceil(ms / secondMs)} s`
  return ms < 2 * hourMs ? `in ${Math.round(ms / minuteMs)} min` : `in ${Math.round(ms / hourMs)} h`
}
