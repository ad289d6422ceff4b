/** When a key may end, by the number of days. */
export const expiries = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
]

export const expiryAfter = (days: string, nowMs: number) =>
  days === 'never' ? null : new Date(nowMs + Number(days) * 86_400_000).toISOString()
