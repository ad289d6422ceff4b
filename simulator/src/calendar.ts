/** Moments are whole seconds since 1970: small integers to the engine, which keeps a million nations light. */
export const minuteSeconds = 60
export const hourSeconds = 60 * minuteSeconds
export const daySeconds = 24 * hourSeconds

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const writtenDays = new Map<number, string>()

/** A moment as RFC 3339. Days are remembered: a world writes the same few over and over. */
export function written(at: number): string {
  const day = Math.floor(at / daySeconds)
  let date = writtenDays.get(day)
  if (date === undefined) {
    date = new Date(day * daySeconds * 1000).toISOString().slice(0, 10)
    writtenDays.set(day, date)
  }
  const seconds = at - day * daySeconds
  const [hour, minute] = [Math.floor(seconds / hourSeconds), Math.floor(seconds / minuteSeconds) % 60]
  return `${date}T${twoDigits[hour]}:${twoDigits[minute]}:${twoDigits[seconds % 60]}Z`
}

/** Throws a RangeError for what is no RFC 3339 moment. */
export function momentOf(text: string): number {
  const ms = Date.parse(text)
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(ms)) {
    throw new RangeError(`${text} is not a moment as in RFC 3339.`)
  }
  return Math.floor(ms / 1000)
}
