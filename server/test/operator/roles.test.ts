import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type OperatorOperation,
  type OperatorRole,
  operatorOperations,
  operatorRoleNames,
} from '@chancery/contract'
import { startChancery, type TestChancery } from '../support/chancery.ts'
import { askAs, makeToken } from './office.ts'

/** What each role may do, besides what `admin` alone may. Written out: a wider role is a decision, and shows here. */
const opens: Record<Exclude<OperatorRole, 'admin'>, string[]> = {
  facts: [
    'facts.send',
    'feeds.get',
    'refused.list',
    'refused.get',
    'refused.retry',
    'refused.drop',
    'status.get',
  ],
  identity: ['codes.issue', 'handovers.create', 'status.get'],
  metrics: ['metrics.get', 'status.get'],
}

let chancery: TestChancery
const tokens = new Map<OperatorRole, string>()
before(async () => {
  chancery = await startChancery()
  for (const role of operatorRoleNames) tokens.set(role, (await makeToken(chancery, [role])).token)
})
after(() => chancery.close())

const everyOperation: OperatorOperation[] = Object.values(operatorOperations)

/** Asks for an operation, of something that is not there and with a body that is wrong. */
async function ask({ method, path }: OperatorOperation, token: string | undefined) {
  const url = path.replace(/\{\w+\}/, 'none')
  const response = await askAs(chancery.operatorUrl, token, method, url, method === 'GET' ? undefined : {})
  if (response.headers.get('content-type')?.startsWith('application/json') !== true) {
    await response.body?.cancel()
    return { status: response.status, code: '', message: '' }
  }
  const { error } = (await response.json()) as { error?: { code: string; message: string } }
  return { status: response.status, code: error?.code ?? '', message: error?.message ?? '' }
}

for (const operation of everyOperation) {
  test(`${operation.id} is for its roles alone`, async () => {
    for (const role of operatorRoleNames) {
      const mayDo = role === 'admin' || opens[role].includes(operation.id)
      const { status, code, message } = await ask(operation, tokens.get(role))
      if (mayDo) {
        assert.ok(status !== 401 && status !== 403, `${role}: ${status}`)
      } else {
        assert.deepEqual([status, code], [403, 'insufficient_role'], role)
        const needed = operation.roles[0] ?? 'admin'
        assert.ok(message.includes(needed), message)
      }
    }
    assert.equal((await ask(operation, undefined)).status, 401)
  })
}

test('a token of several roles may do what any of them may', async () => {
  const { token } = await makeToken(chancery, ['facts', 'metrics'])
  for (const [id, isAllowed] of [
    ['feeds.get', true],
    ['metrics.get', true],
    ['codes.issue', false],
    ['keys.list', false],
  ] as const) {
    const operation = everyOperation.find(each => each.id === id)
    assert.ok(operation)
    assert.equal((await ask(operation, token)).status === 403, !isAllowed, id)
  }
})

test('a path that is not there is told to whoever has a token, and to nobody else', async () => {
  assert.equal((await askAs(chancery.operatorUrl, tokens.get('metrics'), 'GET', '/nowhere')).status, 404)
  assert.equal((await askAs(chancery.operatorUrl, tokens.get('metrics'), 'PATCH', '/tokens')).status, 404)
  assert.equal((await askAs(chancery.operatorUrl, undefined, 'GET', '/nowhere')).status, 401)
})

test('a token of this door opens nothing on the public listener', async () => {
  for (const token of tokens.values())
    assert.equal((await chancery.get('/me/key', { key: token })).status, 401)
})
