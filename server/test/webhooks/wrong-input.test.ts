import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nation } from '../ingest/facts.ts'
import { addActiveEndpoint, assertRejected, requestOperator, startWebhookServer } from './owner.ts'

const { chancery, receiver } = await startWebhookServer()
await chancery.ingest([nation('n1')], { waits: false })

test('an invalid endpoint is rejected with a reason and not stored', async () => {
  const good = { player_id: 'p1', url: receiver.url('/rejected') }
  const wrong: [object, RegExp, number?][] = [
    [{ ...good, url: 'not a url' }, /complete address/],
    [{ ...good, url: '' }, /url/],
    [{ ...good, url: 'ftp://bot.example/hook' }, /begin with https/],
    [{ ...good, url: 'https://user:password@bot.example/' }, /user name or password/],
    [{ ...good, url: `https://bot.example/${'x'.repeat(2_000)}` }, /longer than 2000/],
    [{ player_id: 'p1' }, /url/],
    [{ ...good, types: ['war.started'] }, /"war\.started" is neither an event type.*war\.declared/],
    [{ ...good, types: ['wars.*'] }, /neither an event type/],
    [{ ...good, types: ['*'] }, /neither an event type/],
    [{ ...good, types: ['nation.founded', 'war.started'] }, /"war\.started"/],
    [{ ...good, types: ['webhook.test'] }, /neither an event type/],
    [{ ...good, types: [] }, /types: is empty/],
    [{ ...good, nation_ids: [] }, /nation_ids: is empty/],
    [{ ...good, alliance_ids: [] }, /alliance_ids: is empty/],
    [{ ...good, nation_ids: Array.from({ length: 101 }, (_, index) => `n${index}`) }, /more than 100/],
    [{ ...good, types: 'war.*' }, /types/],
    [{ ...good, nation_ids: ['a\0b'] }, /NUL/],
    [{ ...good, description: 'a\0b' }, /NUL/],
    [{ ...good, description: 'x'.repeat(201) }, /description: has more than 200/],
    [{ ...good, secret: 'whsec_mine' }, /./],
    [{ ...good, nation_id: 'n1' }, /one of nation_id and player_id/],
    [{ url: good.url }, /one of nation_id and player_id/],
    [{ url: good.url, nation_id: 'n1' }, /No player is known/],
    [{ url: good.url, nation_id: 'none' }, /nation/, 404],
    [{ ...good, player_id: 'no id' }, /player_id/],
  ]
  for (const [body, message, status = 400] of wrong)
    await assertRejected(chancery, ['POST', '/webhooks', body], status, message)
  assert.deepEqual((await requestOperator(chancery, 'GET', '/webhooks')).body, { data: [] })
  assert.deepEqual(receiver.received, [])
})

test('an invalid request about an endpoint is rejected with a reason', async () => {
  const { id } = await addActiveEndpoint(chancery, receiver.url('/requested'))
  const replay = `/webhooks/${id}/replay`
  const log = `/webhooks/${id}/deliveries`
  const since = '2026-06-01T00:00:00Z'
  const wrong: [string, string, unknown, RegExp, number?][] = [
    ['GET', `${log}?limit=0`, undefined, /limit/],
    ['GET', `${log}?limit=101`, undefined, /limit/],
    ['GET', `${log}?limit=1&limit=2`, undefined, /limit/],
    ['GET', `${log}?state=lost`, undefined, /state/],
    ['GET', '/webhooks?nation_id=none', undefined, /nation/, 404],
    ['GET', '/webhooks?nation_id=n1&player_id=p1', undefined, /one of nation_id and player_id/],
    ['GET', '/webhooks/whe_none', undefined, /webhook endpoint/, 404],
    ['GET', '/webhooks/%00', undefined, /NUL/],
    ['POST', replay, undefined, /body/],
    ['POST', replay, {}, /body/],
    ['POST', replay, { failed: false }, /body/],
    ['POST', replay, { failed: true, delivery: 'dlv_1' }, /body/],
    ['POST', replay, { since }, /body/],
    ['POST', replay, { since, until: 'now' }, /body/],
    ['POST', replay, { since, until: '2026-02-30T00:00:00Z' }, /body/],
    ['POST', replay, { since: '0000-01-01T00:00:00Z', until: since }, /times like/],
    ['POST', replay, { since, until: '9999-12-31T23:00:00-23:00' }, /times like/],
    ['POST', replay, { since, until: '2026-06-01T00:00:00Z[Europe/Paris]' }, /times like/],
    ['POST', replay, { delivery: 'dlv_999999' }, /delivery/, 404],
    ['POST', replay, { delivery: 'dlv_999999999999999999999' }, /delivery/, 404],
    ['POST', replay, { delivery: "dlv_1' or true" }, /delivery/, 404],
  ]
  for (const [method, path, body, message, status = 400] of wrong)
    await assertRejected(chancery, [method, path, body], status, message)
})

test('a time range may be in any time zone', async () => {
  const { id } = await addActiveEndpoint(chancery, receiver.url('/abroad'))
  for (const until of [
    '2026-06-01T00:00:00+14:00',
    '2026-06-01T00:00:00-23:59',
    '2026-06-01t00:00:00.123456789z',
  ]) {
    const response = await requestOperator(chancery, 'POST', `/webhooks/${id}/replay`, {
      since: '2026-05-01T00:00:00+23:00',
      until,
    })
    assert.deepEqual(response, { status: 200, body: { queued: 0 } }, until)
  }
})
