import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startTestServer } from '../../server/test/support/test-server.ts'
import { without } from './proxies.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFile(join(root, path), 'utf8')
const alertsFile = 'deploy/prometheus/alerts.yaml'

interface Panel {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { x: number; y: number; w: number; h: number }
  fieldConfig?: { defaults: { unit?: string } }
  targets?: { refId: string; expr: string }[]
}

/** Names of metrics with their labels. The parts of a histogram count as the histogram. */
function metricsIn(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of text.matchAll(
    /\b((?:chancery|process|nodejs)_[a-z0-9_]+[a-z0-9])(?:\{([^}]*)\})?/g,
  )) {
    const metric = name.replace(/_seconds_(bucket|sum|count)$/, '_seconds')
    const known = found.get(metric) ?? new Set()
    found.set(metric, known)
    for (const [, label = ''] of labels.matchAll(/([a-z_]+)(?:[=!]|,|$)/g)) known.add(label)
  }
  return found
}

/** The metrics of a process before and after some activity. */
let fresh: string
let exposed: string
let onPage: Map<string, Set<string>>
before(async () => {
  const chancery = await startTestServer()
  try {
    fresh = await (await chancery.operate('GET', '/metrics')).text()
    // Some labels appear only after the first event.
    await chancery.ingest([{ op: 'put', resource: 'nation', data: { id: 'n1', nation_name: 'One' } }])
    await chancery.read('/nations')
    exposed = await (await chancery.operate('GET', '/metrics')).text()
  } finally {
    await chancery.close()
  }
  const page = await read('docs/operations/metrics.md')
  onPage = metricsIn(
    page
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line => line.split('|')[1])
      .join('\n'),
  )
})

const exposedNames = () => [...exposed.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)

test('the page explains exactly the metrics of a running service', () => {
  const own = exposedNames().filter(name => name.startsWith('chancery_'))
  assert.deepEqual([...onPage.keys()].filter(name => name.startsWith('chancery_')).sort(), own.sort())
  assert.deepEqual(
    [...onPage.keys()].filter(name => !exposedNames().includes(name)),
    [],
  )
})

test('the page names the labels of each metric', () => {
  for (const [name, labels] of metricsIn(exposed.replace(/^#.*$/gm, ''))) {
    const documented = onPage.get(name)
    if (documented === undefined) continue
    assert.deepEqual([...labels].filter(label => label !== 'le').sort(), [...documented].sort(), name)
  }
})

test('every counter of an alert starts at zero, so that the first increase is visible', async () => {
  const exposed = fresh.split('\n').filter(line => line.startsWith('chancery_'))
  const used = [...(await read(alertsFile)).matchAll(/rate\((chancery_\w+_total)(?:\{(\w+="\w+")\})?/g)]
  assert.ok(used.length > 5)
  for (const [, name = '', label = ''] of used)
    assert.ok(
      exposed.some(line => line.startsWith(`${name}{`) && line.includes(label)) ||
        exposed.includes(`${name} 0`),
      `${name} ${label}`,
    )
})

test('without a shared store for limits, its availability is not exposed', () => {
  assert.doesNotMatch(exposed, /^chancery_limits_shared /m)
})

for (const file of [alertsFile, 'deploy/grafana/chancery.json']) {
  test(`${file} uses only metrics and labels that exist`, async () => {
    const used = metricsIn((await read(file)).replaceAll('\\"', '"'))
    assert.ok(used.size > 10)
    for (const [name, labels] of used) {
      assert.ok(exposedNames().includes(name), name)
      const known = [...(onPage.get(name) ?? []), 'job', 'instance', 'le', 'world']
      assert.deepEqual(
        [...labels].filter(label => !known.includes(label)),
        [],
        name,
      )
    }
  })
}

test('each world has alerts of its own, and a choice on the dashboard', async () => {
  const alerts = await read(alertsFile)
  assert.ok(alerts.split(' by (world) (').length > 10)
  for (const [, kind, by] of alerts.matchAll(/\b(sum|min|max|avg|count)( by \([^)]*\))? \(/g))
    assert.match(by ?? '', /\bworld\b/, kind)
  assert.doesNotMatch(alerts, /\b(sum|min|max|avg|count)\(/)
  const { panels, templating } = JSON.parse(await read('deploy/grafana/chancery.json'))
  assert.ok(templating.list.some(({ name }: { name: string }) => name === 'world'))
  for (const { expr } of panels.flatMap(({ targets = [] }: Panel) => targets))
    for (const [metric] of expr.matchAll(
      /\b(?:(?:chancery|process|nodejs)_[a-z0-9_]+|up)(?![a-z0-9_])(\{[^}]*\})?/g,
    ))
      assert.ok(metric.includes('world=~"$world"'), `${expr}: ${metric}`)
})

test('the runbook has exactly one section for each alert', async () => {
  const alerts = await read(alertsFile)
  const named = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  const linked = [...alerts.matchAll(/runbook\.md#(\w+)/g)].map(([, anchor]) => anchor)
  const headings = [...(await read('docs/operations/runbook.md')).matchAll(/^#+ (Chancery[A-Z]\w+)$/gm)]
  assert.deepEqual(headings.map(([, heading]) => heading).sort(), named.toSorted())
  assert.deepEqual(
    linked,
    named.map(name => name?.toLowerCase()),
  )
})

describe('the dashboard', () => {
  let panels: Panel[]
  before(async () => {
    panels = JSON.parse(await read('deploy/grafana/chancery.json')).panels
  })

  test('has panels that each have a query, a description and a unit', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length)
    for (const { title, type, description, fieldConfig, targets = [] } of panels) {
      if (type === 'row') continue
      assert.ok(targets.length > 0 && targets.every(({ expr }) => expr !== ''), title)
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title)
      assert.ok(description && fieldConfig?.defaults.unit, title)
    }
  })

  test('has no overlapping panels', () => {
    const taken = new Set<string>()
    for (const { title, gridPos: place } of panels) {
      assert.ok(place.x >= 0 && place.x + place.w <= 24, title)
      for (let x = place.x; x < place.x + place.w; x += 1)
        for (let y = place.y; y < place.y + place.h; y += 1) {
          assert.ok(!taken.has(`${x} ${y}`), title)
          taken.add(`${x} ${y}`)
        }
    }
  })

  test('shows every metric of the service', async () => {
    const shown = metricsIn(await read('deploy/grafana/chancery.json'))
    assert.deepEqual(
      exposedNames().filter(name => name.startsWith('chancery_') && !shown.has(name)),
      [],
    )
  })
})

describe('promtool', { skip: without('promtool', '--version') }, () => {
  test('accepts the alert rules', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', join(root, alertsFile)], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout + stderr)
  })

  test('accepts the metrics of the service', () => {
    const own = exposed
      .split('\n')
      .filter(line => /^(# (HELP|TYPE) )?chancery_/.test(line))
      .join('\n')
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: `${own}\n`,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout + stderr)
  })
})
