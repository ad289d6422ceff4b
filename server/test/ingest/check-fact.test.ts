import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, factResources } from '@chancery/contract'
import fc from 'fast-check'
import { createFactChecker, isRefusal } from '../../src/ingest/check-fact.ts'
import { parseFact } from '../../src/ingest/parse-fact.ts'

const contract = contractFor(demoProfile)
const check = createFactChecker(contract)

const names = [
  ...new Set(factResources.flatMap(resource => Object.keys(contract.factSchemas[resource].properties))),
  'toString',
  '__proto__',
  'constructor',
]
const value = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, '', 'n1', '2026-05-20T10:00:00Z', 'active'),
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
  ),
})).value
const fact = fc.record(
  {
    op: fc.oneof(fc.constantFrom<unknown>('put', 'delete', 'event', 'commit'), value),
    resource: fc.oneof(fc.constantFrom<unknown>(...factResources), value),
    data: fc.oneof(
      fc.dictionary(fc.constantFrom(...names), value),
      fc.record({
        type: fc.oneof(fc.constantFrom<unknown>(...Object.keys(contract.eventKinds)), value),
        data: value,
      }),
      value,
    ),
    id: value,
    at: value,
    batch: value,
  },
  { requiredKeys: [] },
)

test('whatever a line holds, it is a fact or it is told what is wrong with it, and where', () => {
  fc.assert(
    fc.property(fc.oneof(fact, value), sent => {
      const parsed = parseFact(JSON.stringify(sent), 7)
      const checked = 'reason' in parsed ? parsed : check(parsed.value, 7)
      const refusal = isRefusal(checked)
        ? checked
        : checked.op === 'commit' && isRefusal(checked.commit)
          ? checked.commit
          : undefined
      if (!refusal) return
      assert.equal(refusal.line, 7)
      assert.match(refusal.path, /^(\/([^~/]|~[01])*)*$/u)
      assert.ok(refusal.reason.length > 5)
    }),
    { numRuns: 3_000 },
  )
})

test('whatever the text of a line, reading it never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), text => {
      const parsed = parseFact(text, 1)
      assert.ok('value' in parsed || parsed.reason !== '')
    }),
    { numRuns: 2_000 },
  )
})
