import type { AccountKey, NewAccountEndpoint, NewAccountKeyResponse } from '@chancery/contract'
import { endpointDraft, signIn } from '../account/browser.ts'
import { findRequest } from '../request-log/test-requests.ts'
import { until } from '../support/until.ts'
import type { BrowserFixture } from './browser-fixture.ts'

/** The texts of a player's keys and endpoints. */
export interface SeedTexts {
  keyName: string
  description: string
  /** The receiver's response body. */
  responseBody: string
}

const plain: SeedTexts = { keyName: 'War bot', description: 'the war bot', responseBody: 'thank you' }

/** Creates an example of everything that the settings show. */
export async function seedPlayer(
  fixture: BrowserFixture,
  nationId: string,
  texts: Partial<SeedTexts> = {},
): Promise<void> {
  const { chancery, receiver } = fixture
  const { keyName, description, responseBody } = { ...plain, ...texts }
  const player = await signIn(chancery, { nation_id: nationId })
  const path = `/seeded-${nationId}`
  receiver.respondWith(path, (response, { id }) =>
    response.writeHead(id.startsWith('evt_test_') ? 200 : 400).end(responseBody),
  )

  const makeKey = (scopes: string[]) =>
    player.requestOk<NewAccountKeyResponse>('POST', '/keys', { name: keyName, scopes, expires_at: null })
  const [spare, key] = [await makeKey(['nation.read']), await makeKey(['nation.read', 'economy.read'])]
  await player.requestOk<AccountKey>('POST', `/keys/${spare.id}/revoke`, {})
  const { id: replacedId } = await makeKey(['nation.read'])
  await player.requestOk('POST', `/keys/${replacedId}/rotate`, { overlap_hours: 24 })
  await player.requestOk('POST', `/keys/${key.id}/limit-request`, {
    calls_per_minute: 5_000,
    sentence: `${description}: ${responseBody}`.slice(0, 500).padEnd(10, '.'),
  })
  await chancery.operate('PUT', `/keys/${replacedId}/limit`, { limit: 2_000 })
  const response = await chancery.get('/me/nation', { key: key.key })
  const requestId = response.headers.get('x-request-id') ?? ''
  await until(async () => (await findRequest(chancery, requestId)).length > 0, 'the request is in the log')

  const { code } = await player.requestOk<{ code: string }>('POST', '/codes', { for: keyName })
  await chancery.get(`/discord/verify/${code}?for=${encodeURIComponent(keyName)}`)
  await player.requestOk('POST', '/codes', { for: keyName })

  const draft = endpointDraft(receiver.url(path), { description, nation_ids: [nationId] })
  const { id } = await player.requestOk<NewAccountEndpoint>('POST', '/webhooks', draft)
  await player.requestOk('POST', `/webhooks/${id}/test`, {})
  await chancery.ingest([{ op: 'event', data: launchBy(nationId) }])
  await until(() => receiver.eventsAt(path).length > 0, 'the event is delivered')
}

const launchBy = (nationId: string) => ({
  type: 'strategic_weapon.launched',
  occurred_at: new Date().toISOString(),
  data: { weapon: 'nuclear_missile', attacker_nation_id: nationId, defender_nation_id: 'n7' },
})
