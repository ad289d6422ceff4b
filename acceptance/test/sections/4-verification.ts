import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { bases, canonical, mirror, onBothBases } from '../../src/client.ts'
import { describeExchange, expectError, expectStatus } from '../../src/expect.ts'
import type { Fixture } from '../../src/fixture.ts'
import { dig, digText, members } from '../../src/json.ts'
import { orSkip, skip, specTest } from '../../src/spec-test.ts'

/** Section 2.2, row by row. */
const identityRows: Record<string, string> = {
  'data.verified': 'boolean',
  'data.nation.id': 'string',
  'data.nation.nation_name': 'string',
  'data.nation.leader_name': 'string',
  'data.nation.national_score': 'number',
  'data.alliance.alliance_id': 'string',
  'data.alliance.rank': 'string',
  'data.alliance.alliances.name': 'string',
  'data.alliance.alliances.tag': 'string',
}

const codesDrawn = 20
const redeemersAtOnce = 12

export function verification({ client, world }: Fixture): void {
  const issue = async (nationId: string, boundTo?: string) => {
    const exchange = await client.requestOperator('POST', '/codes', {
      nation_id: nationId,
      ...(boundTo === undefined ? {} : { for: boundTo }),
    })
    if (exchange.status === 400) skip(`a code is refused: ${dig(exchange.json, 'error.message')}`)
    expectStatus(exchange, 201)
    return { code: digText(exchange.json, 'code'), expiresAt: digText(exchange.json, 'expires_at'), exchange }
  }
  const read = (code: string, base: string = mirror) => client.read(`${base}/discord/verify/${code}`)
  const redeem = (code: string, base: string = mirror) => client.request(`${base}/discord/verify/${code}`)
  // A nation has 10 active codes at most: those that a failed run leaves behind must not make the next one fail.
  let turn = Date.now()
  const issueCode = async (boundTo?: string) => {
    const nations = await world.nations()
    turn += 1
    const { id } = orSkip(nations[turn % nations.length], 'the world has no nation')
    return issue(String(id), boundTo)
  }

  describe('2.2 Verified identity', () => {
    let redeemed: Promise<unknown> | undefined
    const identity = () => {
      redeemed ??= world
        .member()
        .then(({ id }) => issue(String(id)))
        .then(({ code }) => read(code))
      return redeemed
    }

    for (const [row, type] of Object.entries(identityRows))
      specTest(row, async () => assert.equal(typeof dig(await identity(), row), type))

    specTest('it has no other members', async () => {
      // Each row is one member, and each object that contains them another one.
      assert.equal([...members(await identity())].length, Object.keys(identityRows).length + 4)
    })

    specTest('it is the nation, the alliance and the rank that the game knows', async () => {
      const member = await world.member()
      const body = await identity()
      for (const field of ['id', 'nation_name', 'leader_name'])
        assert.equal(dig(body, `data.nation.${field}`), member[field])
      assert.deepEqual(dig(body, 'data.alliance'), member.alliance)
    })

    specTest('a rank named officer exists', async () => {
      const officer = await world.member('officer')
      const { code } = await issue(digText(officer, 'id'))
      const { json } = expectStatus(await redeem(code), 200)
      assert.equal(dig(json, 'data.alliance.rank'), 'officer')
    })

    specTest('a nation without alliance has alliance null', async () => {
      const { code } = await issue(digText(await world.nationWithoutAlliance(), 'id'))
      assert.equal(dig(await read(code), 'data.alliance'), null)
    })
  })

  describe('4.3 Nation verification flow', () => {
    specTest('a code has 10 unambiguous characters', async () => {
      const { code } = await issueCode()
      assert.match(code, /^[23456789ABCDEFGHJKMNPQRSTVWXYZ]{10}$/)
      expectStatus(await redeem(code), 200)
    })

    specTest(
      'codes are random: no two are equal, no character is constant, and none reveals its nation',
      async () => {
        const all = await world.nations()
        const from = turn % Math.max(1, all.length - codesDrawn)
        const nations = all.slice(from, from + codesDrawn)
        orSkip(nations[codesDrawn - 1], `the world has fewer than ${codesDrawn} nations`)
        const codes = []
        for (const { id } of nations) codes.push((await issue(String(id))).code)
        assert.equal(new Set(codes).size, codes.length)
        for (let place = 0; place < 10; place += 1) {
          const letters = new Set(codes.map(code => code[place]))
          assert.ok(letters.size > codesDrawn / 4, `place ${place + 1} of ${codes.join(' ')}`)
        }
        for (const [index, code] of codes.entries()) {
          const { json } = expectStatus(await redeem(code), 200)
          assert.equal(dig(json, 'data.nation.id'), nations[index]?.id)
        }
      },
    )

    specTest('a code expires 10 minutes after its creation', async () => {
      const { code, expiresAt, exchange } = await issueCode()
      const createdAt = Date.parse(String(exchange.responseHeaders.date))
      const seconds = (Date.parse(expiresAt) - createdAt) / 1000
      assert.ok(Math.abs(seconds - 600) <= 2, `it expires after ${seconds} s`)
      expectStatus(await redeem(code), 200)
    })

    specTest('GET /discord/verify/<CODE> redeems it, on either base', () =>
      onBothBases(async base => {
        const { code } = await issueCode()
        await read(code, base)
      }),
    )

    specTest('a code cannot be redeemed twice, on whichever base', async () => {
      for (const first of bases) {
        const { code } = await issueCode()
        expectStatus(await redeem(code, first), 200)
        await onBothBases(
          async base => void expectError(await redeem(code, base), 410, 'verification_code_used'),
        )
      }
    })

    specTest('exactly one of concurrent redemptions succeeds', async () => {
      const { code } = await issueCode()
      const responses = await Promise.all(
        Array.from({ length: redeemersAtOnce }, (_, index) => redeem(code, index % 2 ? canonical : mirror)),
      )
      const [won, lost] = [200, 410].map(status => responses.filter(response => response.status === status))
      assert.equal(won?.length, 1)
      assert.equal(lost?.length, redeemersAtOnce - 1)
    })

    specTest('unknown and malformed codes are rejected', () =>
      onBothBases(async base => {
        for (const code of ['2345678923', '1', 'IIIIIIIIII', 'K7PWM3XQ9TT', '%00', `${'2'.repeat(300)}`])
          expectError(await redeem(code, base), 404, 'verification_code_unknown')
      }),
    )

    specTest('lower case counts as upper case', async () => {
      const { code } = await issueCode()
      expectStatus(await redeem(code.toLowerCase()), 200)
    })

    specTest('only GET redeems a code', async () => {
      const { code } = await issueCode()
      await onBothBases(async base => {
        for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
          const { status } = await client.request(`${base}/discord/verify/${code}`, { method })
          assert.equal(status, method === 'OPTIONS' ? 204 : 405, `${method} of a code`)
        }
      })
      expectStatus(await redeem(code), 200)
    })

    specTest('neither a key nor data of the chat platform is required', async () => {
      const { code } = await issueCode()
      expectStatus(await client.request(`${mirror}/discord/verify/${code}`, { key: null }), 200)
      const document = await client.request('/openapi.json')
      if (document.status !== 200) return
      assert.doesNotMatch(JSON.stringify(document.json), /password/i)
    })

    specTest('a code for one chat account is unknown to others, and stays valid', async () => {
      const { code } = await issueCode('chat-account-1')
      for (const query of ['', '?for=chat-account-2'])
        expectError(await redeem(code + query), 404, 'verification_code_unknown')
      expectStatus(await redeem(`${code}?for=chat-account-1`), 200)
    })

    specTest('no response to a redemption is cacheable, and no error repeats the code', async () => {
      const { code } = await issueCode()
      const [redeemed, used] = [await redeem(code), await redeem(code)]
      for (const { responseHeaders, url } of [redeemed, used])
        assert.equal(responseHeaders['cache-control'], 'no-store', url)
      assert.ok(!JSON.stringify(used.json).includes(code), describeExchange(used))
    })
  })
}
