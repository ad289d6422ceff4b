import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { canonical, mirror, onBothBases } from '../../src/client.ts'
import { describeExchange, expectError, expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { dig, digText } from '../../src/json.ts'
import { allScopes } from '../../src/keys.ts'
import { fill } from '../../src/operations.ts'
import { orSkip, specTest } from '../../src/spec-test.ts'

/** The section of the own nation that each scope allows to read. */
const sections: Record<string, string> = {
  'military.read': 'military',
  'economy.read': 'economy',
  'production.read': 'production',
  'alliance.read': 'assignments',
}

/** Has the format of a key and does not exist. */
const wrongKey = 'chk_0000000000000000000000000000000000000000'

export function authentication({ client, reads, world, keys }: Fixture): void {
  const ownKey = () => orSkip(client.ownKey, 'needs a key')

  describe('5. Authentication', () => {
    for (const { path } of reads.filter(({ isPublic }) => isPublic)) {
      // Alternately on one base and the other: the limit without a key is low.
      const base = path.length % 2 ? canonical : mirror
      specTest(`${path} requires no key`, async () => {
        expectStatus(await client.request(base + (await fill(path, world)), { key: null }), 200)
      })
    }

    specTest('a key is sent as Authorization: Bearer, the word in any case', () =>
      onBothBases(async base => {
        for (const word of ['Bearer', 'bearer', 'BEARER']) {
          const headers = { authorization: `${word} ${ownKey()}` }
          expectStatus(await client.request(`${base}/me/key`, { headers }), 200)
        }
      }),
    )

    specTest('a key has an owner: /me/nation is the nation of its owner', async () => {
      for (const owner of [await world.owner(), await world.otherNation()]) {
        const nationId = digText(owner, 'id')
        const { key } = await keys.make({ nationId })
        await onBothBases(async base => {
          const body = await client.read(`${base}/me/nation`, { key })
          assert.equal(dig(body, 'data.id'), nationId)
          for (const section of Object.values(sections)) assert.equal(dig(body, `data.${section}`), undefined)
        })
      }
    })

    specTest('/me/nation requires a key', () =>
      onBothBases(async base => {
        const exchange = await client.request(`${base}/me/nation`, { key: null })
        expectError(exchange, 401, 'api_key_required')
        assert.match(String(exchange.responseHeaders['www-authenticate']), /^Bearer/)
      }),
    )

    specTest('a key in the URL is ignored', async () => {
      const exchange = await client.request(`${mirror}/me/nation?api_key=${ownKey()}&key=${ownKey()}`, {
        key: null,
      })
      expectError(exchange, 401, 'api_key_required')
    })

    specTest('a wrong key is rejected, not treated as anonymous', () =>
      onBothBases(async base => {
        const exchange = await client.request(`${base}/nations`, { key: wrongKey })
        expectError(exchange, 401, 'invalid_api_key')
        assert.match(String(exchange.responseHeaders['www-authenticate']), /^Bearer/)
      }),
    )

    for (const authorization of ['', 'Bearer', 'Basic dXNlcjpwYXNz', 'Bearer two words']) {
      specTest(
        `Authorization: ${authorization || '(empty)'} is rejected, not treated as anonymous`,
        async () => {
          const exchange = await client.request(`${mirror}/nations`, {
            key: null,
            headers: { authorization },
          })
          expectError(exchange, 401, 'invalid_api_key')
        },
      )
    }

    specTest('a key can be revoked without affecting other tools', async () => {
      const nationId = digText(await world.owner(), 'id')
      const [leaked, other] = [await keys.make({ nationId }), await keys.make({ nationId })]
      expectStatus(await client.request(`${mirror}/me/nation`, { key: leaked.key }), 200)
      await keys.revoke(leaked)
      // Within a second, on however many processes.
      await sleep(1000)
      await onBothBases(async base => {
        expectError(await client.request(`${base}/me/nation`, { key: leaked.key }), 401, 'invalid_api_key')
        expectStatus(await client.request(`${base}/me/nation`, { key: other.key }), 200)
      })
    })
  })

  describe('5. Keys are scoped', () => {
    for (const [scope, section] of Object.entries(sections)) {
      specTest(`a request without ${scope} is rejected, with the scope in the message`, async () => {
        const nationId = digText(await world.owner(), 'id')
        const others = allScopes.filter(other => other !== scope)
        const { key } = await keys.make({ nationId, scopes: others })
        await onBothBases(async base => {
          const exchange = await client.request(`${base}/me/nation?include=${section}`, { key })
          const message = expectError(exchange, 403, 'insufficient_scope')
          assert.ok(message.includes(scope), `${describeExchange(exchange)} must name ${scope}`)
          assert.match(String(exchange.responseHeaders['www-authenticate']), /insufficient_scope/)
        })
      })

      specTest(`${scope} allows ${section} of the own nation, and nothing else`, async () => {
        const { key } = await keys.make({ nationId: digText(await world.owner(), 'id'), scopes: [scope] })
        await onBothBases(async base => {
          for (const query of ['', `?include=${section}`]) {
            const body = await client.read(`${base}/me/nation${query}`, { key })
            const present = Object.values(sections).filter(other => dig(body, `data.${other}`) !== undefined)
            assert.deepEqual(present, [section])
          }
        })
      })
    }

    specTest('a request without treasury.read is rejected, with the scope in the message', async () => {
      const member = await world.member()
      const { key } = await keys.make({
        nationId: digText(member, 'id'),
        scopes: allScopes.filter(scope => scope !== 'treasury.read'),
      })
      const path = `/alliances/${digText(member, 'alliance.alliance_id')}`
      await onBothBases(async base => {
        assert.equal(dig(await client.read(base + path, { key }), 'data.treasury'), undefined)
        const exchange = await client.request(`${base}${path}?include=treasury`, { key })
        const message = expectError(exchange, 403, 'insufficient_scope')
        assert.ok(message.includes('treasury.read'), describeExchange(exchange))
      })
    })

    specTest('an operation with a scope requires a key', async () => {
      const exchange = await client.request(
        `${canonical}/alliances/${await world.allianceId()}?include=treasury`,
        {
          key: null,
        },
      )
      expectError(exchange, 401, 'api_key_required')
    })
  })
}
