export const secondMs = 1000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** A moment in milliseconds as RFC 3339, to the second. */
export const written = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** Throws a RangeError for what is no RFC 3339 moment. */
export function momentOf(text: string): number {
  const ms = Date.parse(text)
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(ms)) {
    throw new RangeError(`${text} is not a moment as in RFC 3339.`)
  }
  return Math.floor(ms / secondMs) * secondMs
}
