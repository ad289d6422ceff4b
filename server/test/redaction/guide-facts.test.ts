import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import { createFactValidator, isRejected } from '../../src/ingest/validate-fact.ts'
import { pluck } from '../support/pluck.ts'

const contract = contractFor(demoProfile)
const check = createFactValidator(contract)

for (const [guide, ops] of [
  ['moderation-and-erasure', ['redact', 'erase']],
  ['era-reset', ['reset']],
] as const) {
  test(`the facts that the guide ${guide} shows are facts`, async () => {
    const text = await readFile(new URL(`../../../docs/game/${guide}.md`, import.meta.url), 'utf8')
    const shown = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(
      ([, json = '']) => JSON.parse(json) as { op?: string },
    )
    const facts = shown.filter(({ op }) => op !== undefined)
    assert.deepEqual(pluck(facts, 'op'), ops)
    for (const fact of facts) {
      const checked = check(fact, 1)
      assert.ok(!isRejected(checked), JSON.stringify(checked))
    }
  })
}

test('the guide names every text that can be redacted', async () => {
  const text = await readFile(
    new URL('../../../docs/game/moderation-and-erasure.md', import.meta.url),
    'utf8',
  )
  for (const [resource, { properties }] of Object.entries(contract.redactionSchemas)) {
    const row = text.split('\n').find(line => line.startsWith(`| \`${resource}\``)) ?? ''
    assert.deepEqual(
      [...row.matchAll(/`([a-z_]+)`/g)].map(([, word]) => word),
      [resource, ...Object.keys(properties)],
    )
  }
})
