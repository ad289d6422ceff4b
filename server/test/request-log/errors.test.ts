import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccountList,
  type KeyUsage,
  type LoggedCall,
  type NewAccountKeyResponse,
  type Operation,
  operations,
} from '@chancery/contract'
import { keyDraft, signIn, startAccounts } from '../account/browser.ts'
import { smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { findRequest } from './test-requests.ts'

const chancery = closeAfter(await startAccounts(smallWorld()))
const player = await signIn(chancery, { nation_id: 'n1' })
const { id, key } = await player.requestOk<NewAccountKeyResponse>('POST', '/keys', keyDraft())

const calls = async () => (await player.requestOk<AccountList<LoggedCall>>('GET', `/calls?key_id=${id}`)).data
const usage = () => player.requestOk<KeyUsage>('GET', `/keys/${id}/usage`)

test('a rejected request is logged with the error code and the name of the parameter, never a value', async () => {
  const rejected: [path: string, code: string, parameter: string | null][] = [
    ['/nations?limit=canary_value', 'invalid_parameter', 'limit'],
    ['/nations?canary_name=1&limt=5', 'invalid_parameter', 'limit?'],
    ['/nations/canary_id', 'not_found', null],
    ['/me/nation?include=canary_field', 'invalid_parameter', 'include'],
    ['/nations', '', null],
  ]
  for (const [path] of rejected) await chancery.get(path, { key })
  const logged = await calls()
  assert.deepEqual(
    logged.toReversed().map(({ error_code, error_parameter }) => [error_code ?? '', error_parameter]),
    rejected.map(([, code, parameter]) => [code, parameter]),
  )
  const { errors } = await usage()
  assert.deepEqual(errors, [
    { code: 'invalid_parameter', parameter: 'include', calls: 1 },
    { code: 'invalid_parameter', parameter: 'limit', calls: 1 },
    { code: 'invalid_parameter', parameter: 'limit?', calls: 1 },
    { code: 'not_found', parameter: null, calls: 1 },
  ])
  assert.doesNotMatch(JSON.stringify([logged, errors]), /canary|limt/)

  const [row] = await findRequest(chancery, logged.at(-1)?.request_id ?? '')
  assert.deepEqual([row?.error_code, row?.error_parameter], ['invalid_parameter', 'limit'])
})

const all: Operation[] = Object.values(operations)
const withParameters = all.filter(
  ({ path, parameters }) => !path.includes('{') && Object.keys(parameters).length > 0,
)

for (const { id: operation, path, parameters } of withParameters) {
  test(`${operation}: the logged parameter is one of the contract`, async () => {
    for (const [name, parameter] of Object.entries(parameters)) {
      if (parameter.in !== 'query') continue
      await chancery.get(`${path}?${name}=%FF`, { key })
      const [latest] = await calls()
      assert.equal(latest?.operation, operation)
      assert.equal(latest.error_code, 'invalid_parameter', name)
      assert.equal(latest.error_parameter, name)
    }
  })
}
