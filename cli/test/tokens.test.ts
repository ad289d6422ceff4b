import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorOperations } from '@chancery/contract'
import { token as adminToken, exampleItem, responding, startStubApi } from './stub-api.ts'

const created_at = '2026-03-01T12:00:00Z'
const record = {
  ...exampleItem(operatorOperations.tokensList),
  id: 'tok_1',
  created_at,
  last_used_at: null,
}
const withText = { ...record, token: 'cho_secret' }

test('tokens create prints the token, and with --json one document that begins with id and token', async t => {
  const api = await startStubApi(t, { respond: responding(201, withText) })
  const words = 'tokens create --name game-server --roles facts,identity --expires 2027-01-01'.split(' ')
  const people = await api.run(words)
  assert.equal(people.status, 0)
  assert.match(people.output, /^cho_secret\n\nStore it now: .*tok_1/)
  const document = await api.json(words)
  assert.deepEqual(Object.keys(document).slice(0, 2), ['id', 'token'])
  assert.deepEqual(document, withText)
  assert.deepEqual(api.calls[0], {
    method: 'POST',
    path: '/tokens',
    token: adminToken,
    body: { name: 'game-server', roles: ['facts', 'identity'], expires_at: '2027-01-01T00:00:00Z' },
  })
})

test('tokens list prints a table or the records, and never a token', async t => {
  const records = [
    { ...record, token: 'cho_secret', last_used_at: '2026-03-02T12:00:00Z' },
    { ...record, id: 'tok_2', expires_at: '2026-03-03T12:00:00Z' },
    { ...record, id: 'tok_3', revoked_at: '2026-03-04T12:00:00Z' },
  ]
  const api = await startStubApi(t, { respond: responding(200, { data: records }) })
  const { output } = await api.run('tokens list')
  assert.match(output, /^ID +NAME +ROLES +CREATED +EXPIRES +STATE\n/)
  assert.match(output, /tok_1 +game-server +facts,identity +2026-03-01 12:00 +never +used 2026-03-02 12:00\n/)
  assert.match(output, /tok_2 .* 2026-03-03 12:00 +expired\n/)
  assert.match(output, /tok_3 .* revoked 2026-03-04 12:00\n/)
  const json = await api.run('tokens list --json')
  assert.equal(JSON.parse(json.output).data.length, 3)
  assert.ok(!(output + json.output).includes('cho_secret'))
})

test('tokens rotate and revoke name the token in the path', async t => {
  const api = await startStubApi(t, { respond: responding(201, withText) })
  const rotated = await api.run('tokens rotate tok/1')
  assert.match(rotated.output, /^cho_secret\n(.*\n)*tok\/1 stays valid for 24 h at most\.\n$/)
  const atOnce = await api.run('tokens rotate tok_1 --overlap-hours 0')
  assert.match(atOnce.output, /tok_1 has expired\.\n$/)
  const revoked = await api.run('tokens revoke tok_1')
  assert.equal(revoked.output, 'tok_1 (game-server) is revoked\n')
  assert.deepEqual(api.requests(), [
    ['POST', '/tokens/tok%2F1/rotate', {}],
    ['POST', '/tokens/tok_1/rotate', { overlap_hours: 0 }],
    ['POST', '/tokens/tok_1/revoke', undefined],
  ])
})

test('tokens log prints a page of the audit log', async t => {
  const lines = [
    {
      id: 12,
      at: '2026-03-01T12:00:05.5Z',
      token_id: 'tok_1',
      token_name: 'game-server',
      action: 'POST /codes',
      subject: 'n42',
      status: 201,
    },
    {
      id: 9,
      at: '2026-03-01T12:00:00Z',
      token_id: 'main',
      token_name: 'main',
      action: 'POST /keys',
      subject: null,
      status: null,
    },
  ]
  const api = await startStubApi(t, { respond: responding(200, { data: lines }) })
  const { output } = await api.run('tokens log --limit 2 --before 20')
  assert.match(
    output,
    /^ID +TIME +TOKEN +ACTION +SUBJECT +STATUS\n12 +03-01 12:00:05 +game-server +POST \/codes +n42 +201\n9 .* main +POST \/keys +- +-\n$/,
  )
  assert.deepEqual(await api.json('tokens log'), { data: lines })
  await api.run([
    'tokens',
    'log',
    '--action',
    'POST /keys',
    '--token',
    'tok_1',
    '--subject',
    'p7',
    '--since',
    '2026-03-01',
    '--until',
    '2026-04-01',
    '--batches',
  ])
  assert.deepEqual(
    api.paths().map(path => [...new URL(path, 'http://service').searchParams].toSorted()),
    [
      [
        ['batches', 'false'],
        ['before', '20'],
        ['limit', '2'],
      ],
      [['batches', 'false']],
      [
        ['action', 'POST /keys'],
        ['batches', 'true'],
        ['since', '2026-03-01T00:00:00Z'],
        ['subject', 'p7'],
        ['token_id', 'tok_1'],
        ['until', '2026-04-01T00:00:00Z'],
      ],
    ],
  )
})
