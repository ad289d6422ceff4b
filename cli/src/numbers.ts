const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** 31,157 */
export const grouped = (value: number) => whole.format(value)

/** `1 batch`, `91 batches`. */
export const counted = (value: number, one: string, many = `${one}s`) =>
  `${grouped(value)} ${value === 1 ? one : many}`

/** 4.2 s, 71 s, 12 min */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  return ms < 600_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`
}

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

export const perSecond = (count: number, ms: number) => grouped((count * 1000) / Math.max(ms, 1))
