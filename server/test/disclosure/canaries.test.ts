import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { bases, demoProfile, factResources } from '@chancery/contract'
import { smallGame } from '../profile/games.ts'
import { downloadSnapshot, takeSnapshot } from '../snapshots/take-snapshot.ts'
import { withConnection } from '../support/database-url.ts'
import { tier } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { type CanaryServer, startCanaryServer } from './canary-server.ts'
import { type CanaryWorld, canaryWorld } from './canary-world.ts'
import { mayKnow } from './clearance.ts'
import { closeConnections, eachOf, sendRequest, textOf } from './exchange.ts'
import { isViewerSpecific, requestsOf, withTimes } from './requests.ts'
import { isHidden, slotsOf } from './slots.ts'
import { type Viewer, viewers } from './viewers.ts'

/** The full tier also tests a game without a key of the demo's; `disclosure.test.ts` draws random profiles. */
for (const game of tier === 'quick' ? [demoProfile] : [demoProfile, smallGame])
  suite(`in the game ${game.name}`, () => testCanaries(canaryWorld(game)))

after(closeConnections)

function testCanaries(world: CanaryWorld) {
  const { canaries, contract, profile, secretsOf } = world
  let server: CanaryServer
  const keys = new Map<string, string>()
  const codes: string[] = []

  before(async () => {
    server = await startCanaryServer(world)
    await server.ingestFacts()
    for (const { name, player, scopes } of viewers) {
      if (!player) continue
      const made = await server.operate('POST', '/keys', { player_id: player, name: 'canary', scopes })
      keys.set(name, made.json<{ key: string }>().key)
    }
    for (const nation_id of ['n_leader', 'n_applicant']) {
      const made = await server.operate('POST', '/codes', { nation_id })
      codes.push(made.json<{ code: string }>().code)
    }
  })
  after(() => server.close())

  /** Part of every canary: most responses are searched for it alone. */
  const canaryForm = /7\d{5}|canary_/

  /** Each text that a response must not hold, and what it holds of them. */
  function foundIn(text: string): Set<string> {
    const found = new Set<string>()
    if (canaryForm.test(text))
      for (const canary of canaries) if (text.includes(canary.text)) found.add(canary.text)
    for (const secret of [...keys.values(), ...codes, server.operatorToken])
      if (text.includes(secret)) found.add(secret)
    return found
  }

  const clearedFor = (viewer: Viewer) =>
    new Set(canaries.filter(({ slot, id }) => mayKnow(viewer, slot, id)).map(({ text }) => text))

  test('every hidden field of type text or number contains a canary', () => {
    const held = new Set(canaries.map(({ slot }) => `${slot.resource}.${slot.path.join('.')}`))
    const hidden = factResources.flatMap(resource =>
      slotsOf(contract, resource)
        .filter(slot => isHidden(slot) && ![slot.schema.type].flat().includes('boolean'))
        .map(slot => `${slot.resource}.${slot.path.join('.')}`),
    )
    assert.deepEqual([...held].sort(), hidden.sort())
    assert.ok(canaries.length > 500)
    assert.ok(canaries.every(({ text }) => canaryForm.test(text)))
    assert.equal(new Set(canaries.map(({ text }) => text)).size, canaries.length)
  })

  /**
   * All requests. The quick tier makes those whose response may depend on the viewer, and a part of the others: all viewers together
   * make all of them.
   */
  const requestsFor = (part: number) =>
    requestsOf(contract).filter(
      ({ operation }, index) =>
        tier !== 'quick' || isViewerSpecific(operation) || index % viewers.length === part,
    )

  for (const [part, viewer] of viewers.entries()) {
    test(`${viewer.name} reads the secrets that they may read, and no others, in any response`, async () => {
      const cleared = clearedFor(viewer)
      const seen = new Set<string>()
      const key = keys.get(viewer.name)
      await eachOf(requestsFor(part), async ({ path, operation }) => {
        const times = Array.from({ length: 5 }, () => '2026-06-01T00:00:00Z')
        for (const base of key || tier === 'quick' ? [bases.canonical] : Object.values(bases)) {
          const exchange = await sendRequest(server.url, base + withTimes(path, times), { key })
          for (const text of foundIn(textOf(exchange))) {
            assert.ok(cleared.has(text), `${viewer.name} finds ${text} in ${operation.id} ${path}`)
            seen.add(text)
          }
        }
      })
      assert.deepEqual([...seen].sort(), [...cleared].sort(), 'all that they may read')
    })
  }

  test('a section that the key’s scopes exclude is not in the response at all', async () => {
    const { body } = await sendRequest(server.url, `${bases.canonical}/me/nation`, {
      key: keys.get('narrow'),
    })
    const { data } = JSON.parse(body) as { data: Record<string, unknown> }
    for (const section of ['military', 'economy', 'assignments']) assert.ok(!(section in data), section)
    assert.ok('production' in data)
  })

  const keptNames = Object.values(profile.attributes)
    .flat()
    .flatMap(attribute => (attribute.class === 'admin_only' ? [attribute.key] : []))

  test('no page outside the API contains a secret, nor the name of an admin_only field', async () => {
    const pages = await Promise.all(
      ['/openapi.json', '/docs', '/docs/', '/healthz', '/readyz', `${bases.canonical}/game`, '/nothing'].map(
        path => sendRequest(server.url, path),
      ),
    )
    for (const { body } of pages) {
      assert.deepEqual([...foundIn(body)], [])
      for (const name of ['Canary of words', 'moderation_notes', 'can_view_treasury', ...keptNames]) {
        assert.ok(!body.includes(name), name)
      }
    }
  })

  test('no file of a snapshot contains a secret', async () => {
    await takeSnapshot(server.databaseUrl, contract)
    const { manifest, texts } = await downloadSnapshot(server.url)
    for (const [resource, text] of [...texts, ['the manifest', JSON.stringify(manifest)] as const])
      assert.deepEqual([...foundIn(text)], [], resource)
  })

  test('errors quote no secret of the caller, the key or the database', async () => {
    const odd = [
      { path: `${bases.canonical}/nations?page=${keys.get('leader')}` },
      { path: `${bases.canonical}/nations/${keys.get('leader')}` },
      { path: `/${keys.get('leader')}` },
      { path: `${bases.canonical}/discord/verify/${codes[0]}x` },
      { path: `${bases.canonical}/me/nation`, key: `${keys.get('leader')}x` },
      { path: `${bases.canonical}/me/nation`, key: server.operatorToken },
      { path: `${bases.canonical}/me/nation?include=${codes[0]}`, key: keys.get('leader') },
    ]
    for (const { path, key } of odd) {
      const exchange = await sendRequest(server.url, path, { key })
      assert.ok(exchange.status >= 400)
      assert.deepEqual([...foundIn(textOf(exchange))], [], path)
    }
  })

  test('a redeemed code discloses no secret of its nation', async () => {
    for (const code of codes) {
      for (const status of [200, 410]) {
        const exchange = await sendRequest(server.url, `${bases.mirror}/discord/verify/${code}`)
        assert.equal(exchange.status, status)
        assert.deepEqual([...foundIn(textOf(exchange))], [])
      }
    }
  })

  test('neither the most detailed log nor the metrics contain a secret, also when everything fails', async () => {
    await withConnection(server.databaseUrl, async client => {
      // The database quotes values in its messages: these must not be passed on.
      await client.query(`
      create function chancery_secret.complain() returns trigger language plpgsql as
      $$ begin raise exception 'no place for %', new; end $$;
      create trigger complain before insert or update on chancery_secret.nation_private for each row execute function chancery_secret.complain()`)
      const [text] = secretsOf('nation', 'n_leader', ['player'])
      const broken = await server.operate(
        'POST',
        '/facts',
        { facts: [text] },
        { 'idempotency-key': 'broken' },
      )
      assert.equal(broken.status, 500)
      assert.deepEqual([...foundIn(broken.body)], [])
      await client.query('alter table chancery_secret.nation_private rename to elsewhere')
      for (const viewer of viewers) {
        const exchange = await sendRequest(server.url, `${bases.canonical}/me/nation`, {
          key: keys.get(viewer.name),
        })
        assert.ok([500, 401, 403].includes(exchange.status), `${viewer.name} ${exchange.status}`)
        assert.deepEqual([...foundIn(textOf(exchange))], [])
      }
      await client.query('alter table chancery_access.api_key rename to elsewhere')
      await client.query('update chancery_access.pulse set version = version + 1')
      const isBroken = async () => {
        const { status } = await sendRequest(server.url, `${bases.canonical}/nations`, {
          key: keys.get('leader'),
        })
        return status === 500
      }
      await until(isBroken, 'its key is looked up again')
      for (const path of ['/me/key', '/nations', `/discord/verify/${codes[0]}`]) {
        const exchange = await sendRequest(server.url, bases.canonical + path, {
          key: keys.get('leader'),
        })
        assert.equal(exchange.status, 500)
        assert.deepEqual([...foundIn(textOf(exchange))], [])
      }
    })
    const metrics = await server.operate('GET', '/metrics')
    assert.match(metrics.body, /chancery_requests_total/)
    assert.deepEqual([...foundIn(metrics.body)], [])
    assert.match(server.written(), /a request failed/)
    assert.deepEqual([...foundIn(server.written())], [])
  })

  test('the database keeps no key and no code', async () => {
    await withConnection(server.databaseUrl, async client => {
      for (const table of ['elsewhere', 'verification_code']) {
        const { rows } = await client.query(`select t::text from chancery_access.${table} t`)
        assert.ok(rows.length > 0)
        const secrets = [...keys.values(), ...codes].flatMap(text => [
          text,
          Buffer.from(text).toString('hex'),
        ])
        for (const secret of secrets) assert.ok(!JSON.stringify(rows).includes(secret))
      }
    })
  })
}
