import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTaskFailures } from '../../src/telemetry/task-failures.ts'

/** Failures of tasks, their log lines, and a clock that the test moves. */
function failing(t: Parameters<NonNullable<Parameters<typeof test>[0]>>[0]) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: [string, object][] = []
  const write = (fields: object, message: string) => void lines.push([message, fields])
  const failures = createTaskFailures({
    log: { warn: write, info: write } as never,
    reasonOf: error => String(error),
    isUnavailable: error => String(error).startsWith('unavailable'),
  })
  return { lines, failures, pass: (ms: number) => t.mock.timers.tick(ms) }
}
const failed = (task: string, reason: string) => ['a background task failed', { task, reason }]
const over = (task: string, reason: string, failures: number) => [
  'background task recovered',
  { task, reason, failures },
]

test('a task that fails again and again is logged once, and once when it no longer does', t => {
  const { lines, failures, pass } = failing(t)
  const onError = failures.of('webhooks')
  for (let run = 0; run < 1_000; run += 1) {
    onError('a defect')
    pass(500)
  }
  assert.deepEqual(lines, [failed('webhooks', 'a defect')])
  pass(60_000)
  assert.deepEqual(lines.slice(1), [over('webhooks', 'a defect', 1_000)])
  onError('a defect')
  assert.deepEqual(lines.slice(2), [failed('webhooks', 'a defect')])
})

test('another reason and another task are logged separately', t => {
  const { lines, failures } = failing(t)
  const [webhooks, rounds] = [failures.of('webhooks'), failures.of('ranking rounds')]
  for (const onError of [webhooks, rounds, webhooks, rounds]) onError('a defect')
  webhooks('another')
  assert.deepEqual(lines, [
    failed('webhooks', 'a defect'),
    failed('ranking rounds', 'a defect'),
    failed('webhooks', 'another'),
  ])
})

test('an unavailable database is logged once, whatever errors tasks get', t => {
  const { lines, failures, pass } = failing(t)
  const tasks = ['keys', 'webhooks', 'ranking rounds'].map(task => failures.of(task))
  for (let run = 0; run < 100; run += 1) {
    for (const onError of tasks) onError(`unavailable ${run % 7}`)
    pass(1_000)
  }
  pass(60_000)
  assert.deepEqual(lines, [failed('keys', 'unavailable 0'), over('keys', 'unavailable 0', 300)])
})

test('a task that runs rarely does not count as recovered between two runs', t => {
  const { lines, failures, pass } = failing(t)
  const onError = failures.of('housekeeping', 3_600_000)
  for (let run = 0; run < 5; run += 1) {
    onError('a defect')
    pass(3_600_000)
  }
  assert.equal(lines.length, 1)
  pass(3_600_000)
  assert.deepEqual(lines.at(-1), over('housekeeping', 'a defect', 5))
})
