import type { AccountKey, NewAccountEndpoint, NewAccountKeyResponse } from '@chancery/contract'
import { signIn } from '../account/browser.ts'
import { lookUp } from '../journal/looked-up.ts'
import { until } from '../support/until.ts'
import type { BrowserFixture } from './browser-fixture.ts'

/** What a player's things are called and say. */
export interface SeedTexts {
  keyName: string
  description: string
  /** What the receiver answers. */
  answer: string
}

const plain: SeedTexts = { keyName: 'War bot', description: 'the war bot', answer: 'thank you' }

/** Gives a player something of everything that the settings show. */
export async function seedPlayer(
  fixture: BrowserFixture,
  nationId: string,
  words: Partial<SeedTexts> = {},
): Promise<void> {
  const { chancery, receiver } = fixture
  const { keyName, description, answer } = { ...plain, ...words }
  const player = await signIn(chancery, { nation_id: nationId })
  const path = `/furnished-${nationId}`
  receiver.answer(path, (response, { id }) =>
    response.writeHead(id.startsWith('evt_test_') ? 200 : 400).end(answer),
  )

  const makeKey = (scopes: string[]) =>
    player.done<NewAccountKeyResponse>('POST', '/keys', { name: keyName, scopes, expires_at: null })
  const [spare, key] = [await makeKey(['nation.read']), await makeKey(['nation.read', 'economy.read'])]
  await player.done<AccountKey>('POST', `/keys/${spare.id}/revoke`, {})
  await player.done('POST', `/keys/${key.id}/limit-request`, {
    calls_per_minute: 5_000,
    sentence: `${description}: ${answer}`.slice(0, 500).padEnd(10, '.'),
  })
  const call = await chancery.get('/me/nation', { key: key.key })
  const requestId = call.headers.get('x-request-id') ?? ''
  await until(async () => (await lookUp(chancery, requestId)).length > 0, 'the call is in the journal')

  const { code } = await player.done<{ code: string }>('POST', '/codes', { for: keyName })
  await chancery.get(`/discord/verify/${code}?for=${encodeURIComponent(keyName)}`)
  await player.done('POST', '/codes', { for: keyName })

  await player.done<NewAccountEndpoint>('POST', '/webhooks', {
    url: receiver.url(path),
    description,
    types: null,
    nation_ids: [nationId],
    alliance_ids: null,
  })
  await chancery.ingest([{ op: 'event', data: launchBy(nationId) }])
  await until(() => receiver.newsAt(path).length > 0, 'the receiver hears of it')
}

const launchBy = (nationId: string) => ({
  type: 'strategic_weapon.launched',
  occurred_at: new Date().toISOString(),
  data: { weapon: 'nuclear_missile', attacker_nation_id: nationId, defender_nation_id: 'n7' },
})
