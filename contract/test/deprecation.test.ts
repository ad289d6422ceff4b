import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractFor, demoProfile, operations } from '@chancery/contract'
import { publicField } from '../src/classification.ts'
import { openApiOperation } from '../src/openapi/public.ts'
import { documented } from '../src/openapi/schemas.ts'
import { strictObject, text } from '../src/shared-schemas.ts'

const contract = contractFor(demoProfile)
const deprecated = { since: '2026-01-01T00:00:00Z', sunset: '2026-07-01T00:00:00Z' }
const notice = /Deprecated since 2026-01-01; it will be removed on 2026-07-01\.$/

test('the reference says of an operation and of a parameter that they will go, and when', () => {
  const { search } = operations.nationsList.parameters
  const parameters = { ...operations.nationsList.parameters, search: { ...search, deprecated } }
  const shown = openApiOperation(contract, { ...operations.nationsList, parameters, deprecated })
  assert.equal(shown.deprecated, true)
  assert.match(shown.description, notice)
  const described = shown.parameters.filter(parameter => 'name' in parameter)
  for (const { name, description, deprecated: isGoing } of described) {
    assert.equal(isGoing ?? false, name === 'search')
    assert.equal(notice.test(description), name === 'search')
  }
})

test('the reference says of a field that it will go, and when', () => {
  const going = publicField(text(9), { description: 'What goes.', example: 'x', deprecated })
  const { properties } = documented(
    strictObject({ going, staying: publicField(text(9), { description: 'What stays.', example: 'x' }) }),
  )
  assert.equal(properties?.going?.deprecated, true)
  assert.match(properties?.going?.description ?? '', notice)
  assert.equal(properties?.staying?.description, 'What stays.')
})
