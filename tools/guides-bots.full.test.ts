/** The guides for bot authors are true, and their programs run in all three languages. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { classes, errors, limits, scopeNames, scopes } from '@chancery/contract'
import {
  apiError,
  cutOff,
  hangUp,
  html,
  json,
  page,
  withServer,
} from '../examples/python/test/canned-server.ts'
import { ownSections, playerOf, smallWorld } from '../server/test/http/world.ts'
import { startTestServer, type TestServer } from '../server/test/support/test-server.ts'
import { markedBlock, needs, readGuide, runBlock, tableRows } from './guides/guide.ts'

const scopesGuide = await readGuide('scopes-and-privacy')
const verifyGuide = await readGuide('verify-a-nation')

let chancery: TestServer
before(async () => {
  chancery = await startTestServer({
    CHANCERY_ANONYMOUS_LIMIT: String(limits.anonymousCalls * 10),
    CHANCERY_KEY_LIMIT: String(limits.keyCalls),
  })
  await chancery.ingest(smallWorld())
})
after(() => chancery.close())

const keyOf = async (nationId: string, granted: (typeof scopeNames)[number][]) =>
  (await chancery.makeKey({ player_id: playerOf(nationId) }, granted)).key
/** The languages of the programs, and whether they are installed. */
const languages = [
  ['mjs', {}],
  ['py', needs('python3')],
] as const

describe('scopes and privacy', () => {
  test('the classes and scopes are those of the contract', () => {
    const first = (name: string) => tableRows(markedBlock(scopesGuide, name)).map(([cell]) => cell)
    assert.deepEqual(
      first('classes'),
      classes.map(name => `\`${name}\``),
    )
    assert.deepEqual(
      tableRows(markedBlock(scopesGuide, 'scopes')).map(([name, opens]) => [name, opens]),
      Object.entries(scopes).map(([name, opens]) => [`\`${name}\``, opens]),
    )
  })

  test('each scope grants what its row names, and nothing else', async () => {
    const sections = Object.keys(ownSections)
    for (const [name = '', , where = ''] of tableRows(markedBlock(scopesGuide, 'scopes'))) {
      const scope = scopeNames.find(each => name === `\`${each}\``)
      assert.ok(scope)
      const key = await keyOf('n1', [scope])
      const section = /: `(\w+)`$/.exec(where)?.[1]
      if (scope === 'treasury.read') {
        const { data } = await chancery.read<{ data: object }>('/alliances/a1?include=treasury', { key })
        assert.ok('treasury' in data)
      } else {
        const { data } = await chancery.read<{ data: object }>('/me/nation', { key })
        assert.deepEqual(
          sections.filter(each => each in data),
          section ? [section] : [],
        )
      }
    }
  })

  describe('with curl', needs('curl'), () => {
    const get = async (name: string, key: string) =>
      JSON.parse(await runBlock(scopesGuide, name, { url: chancery.url, env: { CHANCERY_KEY: key } }))

    test('a key lists its scopes, a section is present or absent, and a required section without its scope is an error', async () => {
      const key = await keyOf('n1', ['military.read'])
      assert.deepEqual((await get('key.sh', key)).data.scopes, ['military.read'])
      const { data } = await get('own.sh', key)
      assert.deepEqual(data.military, ownSections.military)
      assert.ok(!('production' in data))
      const { error } = await get('demand.sh', key)
      assert.equal(error.code, 'insufficient_scope')
      assert.match(error.message, /production\.read/)
      const unreported = await get('own.sh', await keyOf('n7', ['military.read']))
      assert.equal(unreported.data.military, null)
    })
  })

  for (const [program, condition] of [
    ['own.mjs', {}],
    ['client.mjs', {}],
    ['own.py', needs('python3')],
  ] as const) {
    test(`${program} prints the readiness, or the missing scope`, condition, async () => {
      const print = (key: string) =>
        runBlock(scopesGuide, program, { url: chancery.url, env: { CHANCERY_KEY: key } })
      assert.equal(await print(await keyOf('n1', ['military.read'])), 'Valdoria 87.5\n')
      assert.equal(await print(await keyOf('n7', ['military.read'])), 'Sorrow not reported by the game\n')
      assert.match(await print(await keyOf('n1', ['economy.read'])), /^insufficient_scope .*military\.read/)
      assert.match(await print('wrong'), /^invalid_api_key /)
      await assert.rejects(print(''), {
        code: 1,
        stderr: 'CHANCERY_KEY is not set: create a key in the developer settings of the game.\n',
      })
    })
  }
})

describe('verify a nation', () => {
  const account = '80351110224678912'
  const usage = { code: 1, stderr: /^Usage: \w+ \w+\.\w+ CODE ACCOUNT\n$/ }

  test('curl prints the identity of the guide', needs('curl'), async () => {
    const env = { CODE: await chancery.makeCode('n2', account) }
    const printed = await runBlock(verifyGuide, 'verify.sh', { url: chancery.url, env })
    assert.deepEqual(JSON.parse(printed), JSON.parse(markedBlock(verifyGuide, 'identity')))
  })

  test('the responses have the status of their codes', () => {
    for (const [response = ''] of tableRows(markedBlock(verifyGuide, 'responses')).slice(1)) {
      const [, status, code] = /^(\d+) \[`(\w+)`\]/.exec(response) ?? []
      const known = Object.entries(errors).find(([name]) => name === code)
      assert.equal(known?.[1].status, Number(status), response)
    }
  })

  test('the client prints the nation, or the code of the error', async () => {
    const code = await chancery.makeCode('n2', account)
    const verify = async () =>
      (await runBlock(verifyGuide, 'client.mjs', { url: chancery.url, args: [code, account] })).trim()
    assert.equal(await verify(), 'n2 Karsk officer')
    assert.equal(await verify(), 'verification_code_used')
    await assert.rejects(runBlock(verifyGuide, 'client.mjs', { url: chancery.url }), usage)
  })

  for (const [language, condition] of languages) {
    describe(`verify.${language}`, condition, () => {
      const verify = async (code: string, by = account, url = chancery.url) =>
        (await runBlock(verifyGuide, `verify.${language}`, { url, args: [code, by] })).trim()

      test('prints the nation, or the error of the code', async () => {
        const code = await chancery.makeCode('n2', account)
        assert.match(await verify(code, '4711'), /^Check the code/)
        assert.equal(await verify(code), 'n2 Karsk officer')
        assert.match(await verify(code), /^The code was used before/)
        assert.equal(
          await verify(` ${(await chancery.makeCode('n7')).toLowerCase()}`),
          'n7 Sorrow no alliance',
        )
        assert.match(await verify('a/b?c'), /^Check the code/)
        await assert.rejects(runBlock(verifyGuide, `verify.${language}`, { url: chancery.url }), usage)
      })

      test('sends one request, whatever the response', async () => {
        for (const [response, expected] of [
          [hangUp, /^It did not work/],
          [cutOff, /^It did not work/],
          [apiError(503, 'unavailable', { 'retry-after': '0' }), /^It did not work/],
          [apiError(429, 'rate_limited', { 'retry-after': '0' }), /^Too many at once/],
          [apiError(410, 'verification_code_expired'), /older than 10 minutes/],
          [json({ data: { verified: false } }), /^It did not work/],
        ] as const) {
          await withServer([response], async ({ url, requests }) => {
            assert.match(await verify('K7PWM3XQ9T', account, url), expected)
            assert.equal(requests.length, 1)
            assert.equal(requests[0]?.target, `/api/v1/discord/verify/K7PWM3XQ9T?for=${account}`)
          })
        }
      })
    })
  }
})

describe('deleted nations', () => {
  const nations = (...ids: string[]) => page(ids.map(id => ({ id, nation_name: id })))
  for (const [language, condition] of languages) {
    describe(`gone.${language}`, condition, () => {
      const gone = (url: string, ...args: string[]) =>
        runBlock(verifyGuide, `gone.${language}`, { url, args })

      test('prints the deleted nations, and no others', async () => {
        const many = Array.from({ length: 101 }, () => 'n2')
        assert.equal(await gone(chancery.url, 'n2', 'n5', 'unknown'), 'unknown\n')
        assert.equal(await gone(chancery.url, ...many), '')
        assert.equal(await gone(chancery.url), '')
      })

      test('prints no nation if the response is of other nations or of a proxy', async () => {
        for (const [responses, expected] of [
          [[nations('n1', 'n3')], ''],
          [[nations('n5'), html(404)], ''],
          [[nations('n5'), apiError(404, 'other')], ''],
          [[nations('n5'), json({ data: { id: 'n2' } })], ''],
          [[nations('n5'), apiError(404, 'not_found')], 'n2\n'],
        ] as const) {
          await withServer(responses, async api => {
            const printed = gone(api.url, 'n2', 'n5').catch((error: { stdout: string }) => error.stdout)
            assert.equal(await printed, expected)
            assert.match(api.requests[0]?.target ?? '', /\?ids=n2%2Cn5&limit=100$/)
          })
        }
      })
    })
  }
})
