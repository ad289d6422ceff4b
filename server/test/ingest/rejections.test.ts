import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { contractFor, demoProfile, factResources } from '@chancery/contract'
import { markedBlock } from '../../../tools/guides/guide.ts'
import type { Schema } from '../disclosure/slots.ts'
import { closeAfter } from '../support/close-after.ts'
import { type Fact, startTestServer } from '../support/test-server.ts'
import { commit, lines, nation, put, rejectionOf, seqOf } from './facts.ts'
import {
  existing,
  newRows,
  referencesIn,
  referredBy,
  treatyBetweenNations,
  type WrongFact,
  wrongFacts,
} from './wrong-facts.ts'

const contract = contractFor(demoProfile)

const chancery = closeAfter(await startTestServer())
await chancery.ingest(existing, { waits: false })

const lineOf = (line: WrongFact['line']): Buffer =>
  typeof line === 'string' || line instanceof Uint8Array
    ? Buffer.from(line)
    : Buffer.from(JSON.stringify(line))

for (const [index, { name, line, path, reason }] of wrongFacts.entries()) {
  test(`${name} rejects its batch and no other, with line, path and reason`, async () => {
    const before = await seqOf(chancery)
    const id = (place: string) => `wrong-${index}-${place}`
    const outcomes = await chancery.send(
      Buffer.concat([
        Buffer.from(lines(nation(id('earlier')), commit(id('1')))),
        Buffer.from(lines(nation(id('ahead')))),
        lineOf(line),
        Buffer.from(`\n${lines(nation(id('behind')), commit(id('2')))}`),
        Buffer.from(lines(nation(id('later')), commit(id('3')))),
      ]),
    )
    assert.deepEqual(
      outcomes.map(outcome => [outcome.batch, outcome.status, outcome.events]),
      [
        [id('1'), 'applied', 1],
        [id('2'), 'refused', 0],
        [id('3'), 'applied', 1],
      ],
    )
    const rejection = rejectionOf(outcomes[1])
    assert.equal(rejection.line, 4)
    assert.equal(rejection.path, path)
    assert.match(rejection.reason, reason)
    const found = await chancery.read<{ data: { id: string }[] }>(
      `/nations?ids=${['earlier', 'ahead', 'behind', 'later'].map(id)}`,
    )
    assert.deepEqual(found.data.map(row => row.id).toSorted(), [id('earlier'), id('later')])
    assert.equal(await seqOf(chancery), before + 2)
  })
}

test('every reference of a fact to another row is tested', () => {
  for (const resource of factResources) {
    const { properties } = contract.factSchemas[resource] as unknown as Schema
    const places = Object.entries(properties ?? {}).flatMap(([name, schema]) => [
      [name],
      ...Object.keys(schema.properties ?? {}).map(member => [name, member]),
    ])
    const rows = [newRows[resource], ...(resource === 'treaty' ? [treatyBetweenNations] : [])]
    const tested = rows
      .flatMap(row => referencesIn(row))
      .map(({ path }) => path.join('.').replace(/\.0$/, ''))
    for (const path of places)
      if (referredBy(path.at(-1) ?? '')) assert.ok(tested.includes(path.join('.')), `${resource} ${path}`)
  }
})

test('all missing fields of a new war are reported at once, for each fact of the batch', async () => {
  const wars = ['w90', 'w91'].map(id => put('war', { id, attacker: { nation_name: 'x' } }))
  const [outcome] = await chancery.send(Buffer.from(lines(...wars, commit('lacking'))))
  const lacking = ['/data/attacker/nation_id', '/data/defender', '/data/declared_at']
  assert.deepEqual(
    outcome?.refused.map(({ line, path }) => [line, path]),
    [1, 2].flatMap(line => lacking.map(path => [line, path])),
  )
})

test('with very many rejections, the first of each fact is reported before the others', async () => {
  const wrong = Array.from({ length: 60 }, (_, index) =>
    nation(`many-${index}`, { city_count: -1, land_area: -1, color: 'red' }),
  )
  const [outcome] = await chancery.send(Buffer.from(lines(...wrong, commit('very-many'))))
  const found = outcome?.refused.map(({ line }) => line) ?? []
  assert.equal(found.length, 100)
  assert.equal(new Set(found).size, 60)
  assert.deepEqual(
    found,
    found.toSorted((one, other) => one - other),
  )
  assert.deepEqual(outcome?.refused[0], {
    line: 1,
    path: '/data/color',
    reason: 'must be a colour such as #2f6fde, or null',
    value: '"red"',
  })
})

test('the war and the price in the guide are applied, and no field of them can be left out', async () => {
  const guide = await readFile(new URL('../../../docs/game/what-to-send.md', import.meta.url), 'utf8')
  const [changed, ...shown] = ['status.json', 'war.json', 'price.json'].map(
    name => JSON.parse(markedBlock(guide, name)) as Fact,
  )
  await chancery.ingest([nation('42'), nation('9')], { waits: false })
  await chancery.ingest(changed ? [changed] : [], { waits: false })
  for (const fact of shown) {
    const { op, resource, data } = fact as { op: string; resource: string; data: Record<string, unknown> }
    for (const name of Object.keys(data)) {
      const { [name]: _, ...rest } = data
      const [outcome] = await chancery.send(
        Buffer.from(lines({ op, resource, data: rest } as Fact, commit(`less-${resource}-${name}`))),
      )
      assert.equal(outcome?.status, 'refused', `${resource} without ${name}`)
    }
    const [outcome] = await chancery.send(Buffer.from(lines(fact, commit(`shown-${resource}`))))
    assert.equal(outcome?.status, 'applied', JSON.stringify(outcome))
  }
})
