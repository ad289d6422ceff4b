const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** 31,157 */
export const formatNumber = (value: number) => whole.format(value)

/** `1 batch`, `91 batches`. */
export const formatCount = (value: number, one: string, many = `${one}s`) =>
  `${formatNumber(value)} ${value === 1 ? one : many}`

export const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** Per second. */
export const formatRate = (count: number, ms: number) => formatNumber((count * secondMs) / Math.max(ms, 1))

/** 4.2 s, 71 s, 12 min */
export function formatDuration(ms: number): string {
  if (ms < 10 * secondMs) return `${(ms / secondMs).toFixed(1)} s`
  return ms < 10 * minuteMs ? `${Math.round(ms / secondMs)} s` : `${Math.round(ms / minuteMs)} min`
}

/** 2026-03-01 12:00, in UTC. */
export const formatMinute = (time: string) => time.slice(0, 16).replace('T', ' ')

/** 03-01 12:00:05, in UTC, without the year. */
export const formatSecond = (time: string) => time.slice(5, 19).replace('T', ' ')

/** `in 5 s`, `in 30 min`, `in 14 h`; `now` if it is due. */
export function formatDue(time: string, nowMs: number): string {
  const ms = Date.parse(time) - nowMs
  if (ms <= 0) return 'now'
  if (ms < 2 * minuteMs) return `in ${Math.ceil(ms / secondMs)} s`
  return ms < 2 * hourMs ? `in ${Math.round(ms / minuteMs)} min` : `in ${Math.round(ms / hourMs)} h`
}

/** The beginning of the current hour, as RFC 3339. */
export const currentHour = (): string =>
  new Date(Math.floor(Date.now() / hourMs) * hourMs).toISOString().replace('.000Z', 'Z')
