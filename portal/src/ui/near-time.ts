const clockTime = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })
const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const dayNames = new Map([
  [-1, 'yesterday'],
  [0, 'today'],
  [1, 'tomorrow'],
])

/** Like "20 Nov 2026, 09:15", in the browser's time zone. */
export const formatTime = (time: string) => dateTime.format(new Date(time))

/** Like "tomorrow 08:13"; a day further away like `formatTime`. */
export function formatNearTime(time: string, nowMs: number): string {
  const at = new Date(time)
  const name = dayNames.get(Math.round((startOfDay(at) - startOfDay(new Date(nowMs))) / 86_400_000))
  return name ? `${name} ${clockTime.format(at)}` : formatTime(time)
}

/** The days of a change of the clock have 23 and 25 hours: differences are rounded. */
const startOfDay = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
