import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, operations } from '@chancery/contract'
import { createDeprecations } from '../../src/http/define-operation.ts'

const contract = contractFor(demoProfile)
const soon = { since: '2026-01-01T00:00:00Z', sunset: '2026-07-01T00:00:00Z' }
const later = { since: '2026-02-01T00:00:00Z', sunset: '2027-01-01T00:00:00Z' }
const noQuery = new URLSearchParams()

test('an operation that is not deprecated has no headers', () => {
  assert.equal(createDeprecations(contract, operations.nationsGet), undefined)
})

test('a deprecated operation states since when and until when', () => {
  const headers = createDeprecations(contract, { ...operations.nationsGet, deprecated: soon })?.(noQuery)
  assert.deepEqual(headers, { deprecation: '@1767225600', sunset: 'Wed, 01 Jul 2026 00:00:00 GMT' })
})

test('a deprecated parameter is announced where it is given, and of several the earliest sunset', () => {
  const { search } = operations.nationsList.parameters
  const parameters = { ...operations.nationsList.parameters, search: { ...search, deprecated: soon } }
  const headers = createDeprecations(contract, { ...operations.nationsList, parameters, deprecated: later })
  assert.equal(headers?.(noQuery).sunset, 'Fri, 01 Jan 2027 00:00:00 GMT')
  assert.equal(headers?.(new URLSearchParams('search=a')).sunset, 'Wed, 01 Jul 2026 00:00:00 GMT')
})

test('a deprecated list parameter is announced in every spelling', () => {
  const { ids } = operations.nationsList.parameters
  const parameters = { ...operations.nationsList.parameters, ids: { ...ids, deprecated: soon } }
  const headers = createDeprecations(contract, { ...operations.nationsList, parameters })
  for (const query of ['ids=n1', 'ids[]=n1', 'ids%5B0%5D=n1'])
    assert.equal(headers?.(new URLSearchParams(query)).sunset, 'Wed, 01 Jul 2026 00:00:00 GMT', query)
})

test('a deprecated field is announced in every response that may contain it', () => {
  const { nation } = contract.resources
  const motto = { ...nation.fields.motto, 'x-deprecated': soon }
  const changed = {
    ...contract,
    resources: { ...contract.resources, nation: { ...nation, fields: { ...nation.fields, motto } } },
  }
  assert.equal(createDeprecations(changed, operations.nationsGet)?.(noQuery).deprecation, '@1767225600')
  assert.equal(createDeprecations(changed, operations.warsGet), undefined)
})
