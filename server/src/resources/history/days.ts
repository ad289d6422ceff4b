const dayMs = 86_400_000
const lastMs = Date.UTC(9999, 11, 31)

/** The first day that begins at or after a time; undefined without one. */
export const firstDayAt = (time: string | undefined): string | undefined =>
  time === undefined
    ? undefined
    : new Date(Math.min(lastMs, Math.ceil(Date.parse(time) / dayMs) * dayMs)).toISOString().slice(0, 10)
