import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OperatorOperation, operatorOperations } from '@chancery/contract'
import { generateKey } from '../../src/access/key.ts'
import { commit, lines, put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { dump } from '../support/database-url.ts'
import { startTestServer } from '../support/test-server.ts'
import { makeToken } from './tokens.ts'

/** By what it is: a text that this service hands out, and never keeps. */
const secrets = new Map<string, string>()
const chancery = closeAfter(await startTestServer())
await chancery.ingest([put('nation', { id: 'n1', nation_name: 'One', leader_name: 'L', player: 'p1' })])
secrets.set('API key', (await chancery.makeKey({ player_id: 'p1' })).key)
secrets.set('unknown API key', generateKey())
secrets.set('operator token', (await makeToken(chancery, ['facts'])).token)
secrets.set('admin token', chancery.operatorToken)
secrets.set('webhook secret', `whsec_${Buffer.alloc(32, 7).toString('base64')}`)
const code = await chancery.makeCode('n1')
secrets.set('verification code', code)
secrets.set('verification code with a blank', `${code.slice(0, 5)} ${code.slice(5)}`)
secrets.set(
  'verification code within words',
  `code ${code.slice(0, 3)}\u2013${code.slice(3, 5)} ${code.slice(5)} of n1`,
)
const handover = await chancery.operate('POST', '/handovers', { player_id: 'p1' })
secrets.set('handover token', ((await handover.json()) as { url: string }).url.split('handover=')[1] ?? '')

/** Asserts that a request with a secret is rejected without repeating the secret. */
async function assertRejected(kind: string, secret: string, what: string, send: () => Promise<Response>) {
  const response = await send()
  const text = await response.text()
  assert.equal(response.status, 400, `${what} with ${kind}: ${text}`)
  assert.ok(!text.includes(secret), `${what} repeats ${kind}`)
}

interface BodySchema {
  properties: Record<string, { type?: unknown; items?: { type?: unknown } }>
}
const isText = ({ type }: { type?: unknown }) => [type].flat().includes('string')

/** Every place of an operation that accepts a text: the path, and each member of its body. */
function* placesOf({ path, pathParameter, body }: OperatorOperation) {
  const example = Object.values(body?.examples ?? {})[0] as object | undefined
  const url = path.replace(/\{\w+\}/, 'none')
  if (pathParameter)
    yield {
      what: 'the path',
      request: (secret: string) => ({
        url: path.replace(/\{\w+\}/, encodeURIComponent(secret)),
        body: example,
      }),
    }
  const { properties = {} } = (body?.schema ?? {}) as Partial<BodySchema>
  for (const [name, schema] of Object.entries(properties)) {
    const isList = schema.items !== undefined && isText(schema.items)
    if (!isText(schema) && !isList) continue
    yield {
      what: name,
      request: (secret: string) => ({ url, body: { ...example, [name]: isList ? [secret] : secret } }),
    }
  }
}

const everyOperation: OperatorOperation[] = Object.values(operatorOperations)
const changing = everyOperation.filter(({ method, stream }) => method !== 'GET' && stream === undefined)

for (const operation of changing) {
  const places = [...placesOf(operation)]
  if (places.length === 0) continue
  test(`${operation.id} rejects a pasted secret in every member`, async () => {
    for (const { what, request } of places)
      for (const [kind, secret] of secrets) {
        const { url, body } = request(secret)
        await assertRejected(kind, secret, `${operation.id} ${what}`, () =>
          chancery.operate(operation.method, url, body),
        )
      }
  })
}

test('a batch whose id or feed contains a secret is rejected and not kept', async () => {
  const inId = [...secrets].filter(([kind]) => !/^(verification code|handover token)/.test(kind))
  for (const [kind, secret] of inId) {
    const ascii = /^[A-Za-z0-9_.:-]+$/.test(secret)
    if (!ascii) continue
    const send = (id: string, body: object) =>
      chancery.operate('POST', '/facts', body, { 'idempotency-key': id })
    await assertRejected(kind, secret, 'an Idempotency-Key', () => send(secret, { facts: [] }))
    await assertRejected(kind, secret, 'a feed', () =>
      send('with-feed', { facts: [], feed: { name: secret, after: null } }),
    )
    for (const facts of [commit(secret), commit('streamed', { feed: { name: secret, after: null } })]) {
      const [outcome] = await chancery.send(lines(facts))
      assert.deepEqual([outcome?.status, outcome?.batch, outcome?.is_kept], ['refused', null, false], kind)
      assert.ok(!JSON.stringify(outcome).includes(secret), kind)
    }
  }
})

test('no pasted secret is in the database', async () => {
  const rows = await dump(chancery.databaseUrl)
  for (const [kind, secret] of secrets) assert.ok(!rows.includes(secret), kind)
})

test('an id that only has the prefix of a key is accepted', async () => {
  assert.equal((await chancery.operate('POST', '/players/chk_short/suspend')).status, 200)
  assert.equal((await chancery.operate('POST', '/players/chk_short/resume')).status, 200)
})
