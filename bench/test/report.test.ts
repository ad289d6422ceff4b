import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '../src/measure.ts'
import { verdictsOn } from '../src/report/goals.ts'
import { pageWith } from '../src/report/page.ts'
import { plotOf } from '../src/report/plot.ts'
import { ratioOf } from '../src/report/ratios.ts'
import type { Results } from '../src/report/results.ts'
import type { ContestantId } from '../src/work.ts'

const turn = (perSecond: number): Turn => ({
  perSecond,
  p50Ms: 1,
  p99Ms: 2,
  cpuMicroseconds: 1e6 / perSecond,
  databaseMicroseconds: 0,
  busy: 1,
})

const resultsOf = (rates: Partial<Record<ContestantId, number[]>>): Results => ({
  measuredAt: '2026-01-01T00:00:00Z',
  command: 'npm run bench --',
  machine: {
    model: 'a',
    cpus: 2,
    memoryBytes: 1e9,
    cores: null,
    load: { before: 0, after: 0 },
    versions: {},
  },
  rounds: 3,
  seconds: 1,
  connections: 1,
  world: { nations: 1, wars: 1, events: 1 },
  works: [
    {
      id: 'hot-list',
      title: 'A page',
      isMoving: false,
      contestants: Object.entries(rates).map(([id, perSecond]) => ({
        id: id as ContestantId,
        title: id,
        turns: perSecond.map(turn),
      })),
    },
  ],
  leftOut: [],
})

test('a round in which the machine is slow for all changes no ratio', () => {
  const quiet = resultsOf({ node: [1000, 1000, 1000], chancery: [700, 700, 700] })
  const noisy = resultsOf({ node: [1000, 100, 300], chancery: [700, 70, 210] })
  for (const results of [quiet, noisy]) {
    const ratio = ratioOf(results, 'hot-list', 'chancery', 'node')
    assert.equal(ratio?.rate.toFixed(3), '0.700')
    assert.equal(ratio?.cpu?.toFixed(3), (1 / 0.7).toFixed(3))
  }
})

test('a goal that is missed is said to be missed, and one that nobody was measured for is not spoken of', () => {
  const verdicts = verdictsOn(
    resultsOf({ node: [1000, 1000, 1000], nginx: [500, 500, 500], chancery: [599, 599, 599] }),
  )
  assert.deepEqual(
    verdicts.map(({ measured, isMet }) => [measured, isMet]),
    [
      ['0.60', false],
      ['1.20', true],
    ],
  )
})

test('what people wrote on the page stays, and what was measured before does not', () => {
  const page = `# Performance

<!-- measured: written by npm run bench -- --write -->

<!-- measured: end -->

## Run it
`
  const before = pageWith(page, resultsOf({ node: [1000, 1000, 1000], chancery: [700, 700, 700] }))
  const after = pageWith(before, resultsOf({ node: [1000, 1000, 1000], chancery: [800, 800, 800] }))
  assert.match(before, /\| 0\.70 \|/)
  assert.doesNotMatch(after, /\| 0\.70 \|/)
  assert.match(after, /\| 0\.80 \|/)
  assert.ok(after.startsWith('# Performance') && after.endsWith('## Run it\n'))
  assert.throws(() => pageWith('# Performance', resultsOf({})), /the page has no line/)
})

test('the plot shows everybody, and texts of any kind stand in it as they are', () => {
  const results = resultsOf({ node: [1000, 1000, 1000], chancery: [5000, 5000, 5000] })
  for (const work of results.works) work.title = 'A <page> & more'
  const plot = plotOf(results)
  assert.match(plot, /A &lt;page&gt; &amp; more/)
  assert.match(plot, /1\.00 · 1,000\/s/)
  // Five times the measure does not fit: the bar is cut, and its figure says how long it would be.
  assert.match(plot, /class="cut"/)
  assert.match(plot, /5\.00 · 5,000\/s/)
})
