const hourMs = 3_600_000

/** The beginning of the current hour, as RFC 3339. */
export function thisHour(): string {
  const hour = Math.floor(Date.now() / hourMs) * hourMs
  return new Date(hour).toISOString().replace('.000Z', 'Z')
}
