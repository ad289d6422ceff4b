/** Times are whole seconds since 1970: small integers of V8, which saves memory for a million nations. */
export const minuteSeconds = 60
export const hourSeconds = 60 * minuteSeconds
export const daySeconds = 24 * hourSeconds

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const dates = new Map<number, string>()

/** A time as RFC 3339. Dates are cached: a world uses few of them. */
export function timestamp(at: number): string {
  const day = Math.floor(at / daySeconds)
  let date = dates.get(day)
  if (date === undefined) {
    date = new Date(day * daySeconds * 1000).toISOString().slice(0, 10)
    dates.set(day, date)
  }
  const seconds = at - day * daySeconds
  const [hour, minute] = [Math.floor(seconds / hourSeconds), Math.floor(seconds / minuteSeconds) % 60]
  return `${date}T${twoDigits[hour]}:${twoDigits[minute]}:${twoDigits[seconds % 60]}Z`
}

/** Throws a RangeError for text that is not RFC 3339. */
export function parseTimestamp(text: string): number {
  const ms = Date.parse(text)
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(ms)) {
    throw new RangeError(`${text} is not a time as in RFC 3339.`)
  }
  return Math.floor(ms / 1000)
}
