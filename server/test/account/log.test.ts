import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccountAction,
  type AccountList,
  type AccountLogEntry,
  accountActions,
  type IssuedAccountCode,
  type NewAccountEndpoint,
  type NewAccountKeyResponse,
} from '@chancery/contract'
import { pruneAccounts } from '../../src/account/account-log.ts'
import { playerOf, smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { createTestPools } from '../support/pools.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { endpointDraft, handover, keyDraft, type SignedIn, signIn, startAccounts } from './browser.ts'

let player: SignedIn
/** No log line may contain these. */
const secrets: string[] = []

const chancery = closeAfter(
  await startAccounts(smallWorld(), {
    CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true',
    CHANCERY_KEY_LIMIT: '120',
  }),
)
const receiver = closeAfter(await startWebhookReceiver())
player = await signIn(chancery, { nation_id: 'n1' })

const lines = async () => (await player.requestOk<AccountList<AccountLogEntry>>('GET', '/log')).data
const draft = () => endpointDraft(receiver.url('/hook?token=of-the-receiver'))
const makeKey = async (scopes = ['nation.read']) => {
  const made = await player.requestOk<NewAccountKeyResponse>('POST', '/keys', keyDraft({ scopes }))
  secrets.push(made.key)
  return made
}
const makeCode = async () => {
  const made = await player.requestOk<IssuedAccountCode>('POST', '/codes', {})
  secrets.push(made.code)
  return made
}
const addEndpoint = async () => {
  const made = await player.requestOk<NewAccountEndpoint>('POST', '/webhooks', draft())
  secrets.push(made.secret, 'of-the-receiver')
  return made
}
const signInAgain = async () => {
  player = await signIn(chancery, { nation_id: 'n1' }, player)
  secrets.push(player.token, player.cookie?.split('=')[1] ?? '', player.session.csrf_token)
  return null
}

const onKey = async (action: string, body: object = {}) => {
  const { id } = await makeKey()
  const { key } = await player.requestOk<Partial<NewAccountKeyResponse>>(
    'POST',
    `/keys/${id}/${action}`,
    body,
  )
  if (key) secrets.push(key)
  return id
}
const onEndpoint = async (action: string, body: object = {}) => {
  const { id } = await addEndpoint()
  const { secret } = await player.requestOk<Partial<NewAccountEndpoint>>(
    'POST',
    `/webhooks/${id}/${action}`,
    body,
  )
  if (secret) secrets.push(secret)
  return id
}
const removed = async (path: string, { id }: { id: string }) => {
  await player.requestOk('DELETE', `${path}/${id}`, {})
  return id
}

const operate = async (method: string, path: string, body: object = {}) => {
  const response = await chancery.operate(method, path, body)
  assert.ok(response.status < 300, `${method} ${path}: ${await response.clone().text()}`)
  const made = (await response.json()) as { id: string; key?: string; secret?: string }
  for (const secret of [made.key, made.secret]) if (secret) secrets.push(secret)
  return made.id
}
const ofPlayer = { player_id: playerOf('n1') }
const playerPath = `/players/${ofPlayer.player_id}`
const operateOnEndpoint = async (action: string) => {
  const { id } = await addEndpoint()
  await operate('POST', `/webhooks/${id}/${action}`)
  return id
}

/** Performs each action. Returns the id of its subject. */
const actions: Record<AccountAction, () => Promise<string | null>> = {
  'session.started': async () => signInAgain(),
  'session.ended': async () => {
    await player.requestOk('DELETE', '/session', {})
    return signInAgain()
  },
  'session.all_ended': async () => {
    await player.requestOk('POST', '/session/end-all', {})
    return signInAgain()
  },
  'code.created': async () => (await makeCode()).id,
  'code.cancelled': async () => removed('/codes', await makeCode()),
  'key.created': async () => (await makeKey()).id,
  'key.rotated': () => onKey('rotate', { overlap_hours: 1 }),
  'key.revoked': () => onKey('revoke'),
  'key.private_revoked': async () => {
    await makeKey(['military.read'])
    await player.requestOk('POST', '/keys/revoke-private', {})
    return null
  },
  'key.limit_asked': () => onKey('limit-request', { calls_per_minute: 600, sentence: 'We are many.' }),
  'webhook.added': async () => (await addEndpoint()).id,
  'webhook.changed': async () => {
    const { id } = await addEndpoint()
    await player.requestOk('PUT', `/webhooks/${id}`, { ...draft(), types: ['war.*'] })
    return id
  },
  'webhook.enabled': () => onEndpoint('test'),
  'webhook.disabled': () => onEndpoint('disable'),
  'webhook.removed': async () => removed('/webhooks', await addEndpoint()),
  'webhook.rotated': () => onEndpoint('rotate'),
  'webhook.replayed': async () => {
    const id = await onEndpoint('test')
    await player.requestOk('POST', `/webhooks/${id}/replay`, { failed: true })
    return id
  },
  'operator.suspended': async () => {
    await operate('POST', `${playerPath}/suspend`, { note: 'for operators' })
    await operate('POST', `${playerPath}/resume`)
    return ofPlayer.player_id
  },
  'operator.resumed': async () => {
    await operate('POST', `${playerPath}/suspend`)
    await operate('POST', `${playerPath}/resume`)
    return ofPlayer.player_id
  },
  'operator.key_created': () => operate('POST', '/keys', { ...ofPlayer, name: 'by the operator' }),
  'operator.key_limited': async () => operate('PUT', `/keys/${(await makeKey()).id}/limit`, { limit: 600 }),
  'operator.key_revoked': async () => operate('POST', `/keys/${(await makeKey()).id}/revoke`),
  'operator.webhook_added': async () =>
    operate('POST', '/webhooks', { ...ofPlayer, url: receiver.url('/hook?token=of-the-receiver') }),
  'operator.webhook_enabled': async () => {
    const id = await onEndpoint('disable')
    return operate('POST', `/webhooks/${id}/enable`)
  },
  'operator.webhook_disabled': () => operateOnEndpoint('disable'),
  'operator.webhook_removed': async () => operate('DELETE', `/webhooks/${(await addEndpoint()).id}`),
  'operator.webhook_rotated': () => operateOnEndpoint('rotate'),
  'operator.webhook_replayed': async () => {
    const id = await onEndpoint('test')
    await operate('POST', `/webhooks/${id}/replay`, { failed: true })
    return id
  },
}

for (const [action, act] of Object.entries(actions)) {
  test(`${action} is logged`, async () => {
    const known = (await lines()).filter(line => line.action === action).length
    const subject = await act()
    const found = (await lines()).filter(line => line.action === action)
    assert.equal(found.length, known + 1)
    assert.equal(found[0]?.subject, subject)
    const isOfOperator = action.startsWith('operator.')
    assert.deepEqual(
      [found[0]?.by, found[0]?.browser, found[0]?.network],
      isOfOperator
        ? ['operator', null, null]
        : ['player', 'Other browser', `${player.address.split('.').slice(0, 3).join('.')}.0/24`],
    )
    assert.ok(Math.abs(Date.parse(found[0]?.at ?? '') - Date.now()) < 60_000)
    // A player has ten endpoints at most.
    if (action.includes('webhook')) await player.request('DELETE', `/webhooks/${subject}`, { body: {} })
  })
}

test('every action is tested, and lines are listed newest first', async () => {
  assert.deepEqual(Object.keys(actions).sort(), Object.keys(accountActions).sort())
  const times = (await lines()).map(({ at }) => Date.parse(at))
  assert.deepEqual(
    times,
    times.toSorted((one, other) => other - one),
  )
})

test('the log states the browser and the network of a change, and no address is stored', async () => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
  const address = '2001:db8:12:3456:789a:bcde:f012:3456'
  await player.request('POST', '/codes', {
    body: {},
    headers: { 'user-agent': userAgent, 'x-forwarded-for': address },
  })
  const [line] = await lines()
  assert.deepEqual(
    [line?.action, line?.browser, line?.network],
    ['code.created', 'Firefox', '2001:db8:12::/48'],
  )
  const stored = JSON.stringify(
    await query(chancery.databaseUrl, 'select * from chancery_access.account_log'),
  )
  for (const text of [address, '2001:db8:12:3456', player.address, 'rv:145', 'Gecko'])
    assert.ok(!stored.includes(text), text)
})

test('the log shows of the operator only what concerns the player, without note and token', async () => {
  const other = await signIn(chancery, { nation_id: 'n2' })
  const linesOf = async (each: SignedIn) =>
    (await each.requestOk<AccountList<AccountLogEntry>>('GET', '/log')).data
  const before = await linesOf(other)
  const keyId = await operate('POST', '/keys', { ...ofPlayer, name: 'of the first' })
  await operate('PUT', `/keys/${keyId}/limit`, { limit: 600, note: 'granted by council' })
  await chancery.operate('PUT', '/keys/key_none/limit', { limit: 600 })
  await operate('POST', `${playerPath}/suspend`, { note: 'for operators' })
  await operate('POST', `${playerPath}/resume`)
  assert.deepEqual(await linesOf(other), before)
  const shown = await lines()
  assert.deepEqual(
    shown.slice(0, 4).map(({ action, detail }) => [action, detail]),
    [
      ['operator.resumed', null],
      ['operator.suspended', null],
      ['operator.key_limited', 'of the first'],
      ['operator.key_created', 'of the first'],
    ],
  )
  const text = JSON.stringify(shown)
  for (const hidden of ['for operators', 'granted by council', 'main'])
    assert.ok(!text.includes(hidden), hidden)

  await query(chancery.databaseUrl, `update chancery_access.audit_log set at = at - interval '91 days'`)
  assert.ok(
    (await lines()).every(({ by }) => by === 'player'),
    'as long as the log of the player',
  )
  await other.requestOk('DELETE', '/session', {})
})

test('a rejected change leaves no line', async () => {
  const before = await lines()
  const rejected: [string, string, object][] = [
    ['POST', '/keys', keyDraft({ name: '' })],
    ['POST', '/keys/key_none/revoke', {}],
    ['POST', '/keys/key_none/rotate', { overlap_hours: 1 }],
    ['DELETE', '/codes/code_none', {}],
    ['POST', '/webhooks', { ...draft(), url: 'nonsense' }],
    ['DELETE', '/webhooks/whe_none', {}],
  ]
  for (const [method, path, body] of rejected) {
    const { status } = await player.request(method, path, { body })
    assert.ok(status >= 400, path)
  }
  assert.deepEqual(await lines(), before)
})

test('no line contains a key, code, secret or token', async () => {
  const text = JSON.stringify(await query(chancery.databaseUrl, 'select * from chancery_access.account_log'))
  assert.ok(secrets.length > 10)
  for (const secret of secrets) assert.ok(!text.includes(secret), secret)
})

test('a change and its log line are atomic', async () => {
  // A session has a limit of changes a minute.
  await signInAgain()
  const list = async () => [await player.requestOk('GET', '/keys'), await player.requestOk('GET', '/codes')]
  const { id } = await makeKey(['military.read'])
  const { id: codeId } = await makeCode()
  const before = await list()
  const rename = (from: string, to: string) =>
    query(chancery.databaseUrl, `alter table chancery_access.${from} rename to ${to}`)
  await rename('account_log', 'gone')
  const changes: [string, string, object][] = [
    ['POST', '/keys', keyDraft()],
    ['POST', `/keys/${id}/rotate`, { overlap_hours: 0 }],
    ['POST', `/keys/${id}/revoke`, {}],
    ['POST', '/keys/revoke-private', {}],
    ['POST', `/keys/${id}/limit-request`, { calls_per_minute: 600, sentence: 'We are many.' }],
    ['POST', '/codes', {}],
    ['DELETE', `/codes/${codeId}`, {}],
    ['POST', '/session/end-all', {}],
    ['DELETE', '/session', {}],
    ['POST', '/session', { token: await handover(chancery, { nation_id: 'n1' }) }],
  ]
  for (const [method, path, body] of changes)
    assert.equal((await player.request(method, path, { body })).status, 500, path)
  await rename('gone', 'account_log')
  assert.deepEqual(await list(), before)
})

test('links, sessions and log lines are deleted after their retention time, and not before', async () => {
  const pools = createTestPools({ connectionString: chancery.databaseUrl })
  const count = async () =>
    query<{ handover: number; session: number; account_log: number }>(
      chancery.databaseUrl,
      `select (select count(*)::int from chancery_access.handover) as handover,
        (select count(*)::int from chancery_access.session) as session,
        (select count(*)::int from chancery_access.account_log) as account_log`,
    )
  try {
    const before = await count()
    await pruneAccounts(pools.access)
    assert.deepEqual(await count(), before)
    await query(
      chancery.databaseUrl,
      `update chancery_access.handover set expires_at = expires_at - interval '25 hours'`,
    )
    await query(
      chancery.databaseUrl,
      `update chancery_access.session set ended_at = clock_timestamp() - interval '25 hours' where ended_at is not null`,
    )
    await query(
      chancery.databaseUrl,
      `update chancery_access.account_log set at = at - interval '91 days' where action like 'key.%'`,
    )
    await pruneAccounts(pools.access)
    const [after] = await count()
    assert.deepEqual([after?.handover, after?.session], [0, 1])
    assert.ok((await lines()).every(({ action }) => !action.startsWith('key.')))
    assert.ok((after?.account_log ?? 0) > 0)
  } finally {
    await pools.close()
  }
})
