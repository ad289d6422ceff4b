import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatNearTime } from '../src/ui/near-time.ts'

/** A time of the clock in the zone of this process, as an instant. */
const local = (day: number, hour: number, minute = 0, month = 4) => new Date(2026, month, day, hour, minute)

test('a near time is named by its day, by the calendar and not by hours', () => {
  const now = local(20, 23, 50).getTime()
  const times: [Date, string][] = [
    [local(20, 0), 'today 00:00'],
    [local(20, 23, 59), 'today 23:59'],
    [local(21, 0), 'tomorrow 00:00'],
    [local(21, 23, 59), 'tomorrow 23:59'],
    [local(19, 0), 'yesterday 00:00'],
    [local(22, 8, 13), '22 May 2026, 08:13'],
    [local(18, 23, 59), '18 May 2026, 23:59'],
  ]
  for (const [at, text] of times) assert.equal(formatNearTime(at.toISOString(), now), text)
})

test('a day of 23 or 25 hours is one day', () => {
  for (let day = 1; day <= 366; day += 1) {
    const at = local(day + 1, 8, 13, 0)
    assert.equal(formatNearTime(at.toISOString(), local(day, 12, 0, 0).getTime()), 'tomorrow 08:13')
  }
})
