/** What the small bot promises in each language, as suites of tests. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { largestGame } from '../../examples/discord-bot/test/support/largest.ts'
import { caller } from '../../examples/discord-bot/test/support/users.ts'
import { smallWorld } from '../../server/test/http/world.ts'
import { startTestServer, type TestServer } from '../../server/test/support/test-server.ts'
import { until } from '../../server/test/support/until.ts'
import { forwardTo, type Game, startGame } from './game.ts'
import { type Language, type SmallBot, startProgram, startSmallBot } from './run-bot.ts'

/** The commands, with an option of each, what the reply contains, and the requests of the specification's table. */
const commands: [name: string, options: Record<string, string>, shown: RegExp, requests: string[]][] = [
  [
    'nation',
    { name: 'kar' },
    /Karsk.*officer of Northern Pact, score 1,500, rank 2/s,
    ['/nations?search=kar', '/nations/n2'],
  ],
  [
    'alliance',
    { name: 'NP' },
    /Northern Pact.*\nValdoria, Chancellor\nKarsk/,
    ['/alliances/a1', '/alliances/a1/members'],
  ],
  [
    'war',
    { id: 'w1' },
    /Valdoria against Tresk.*active.*\n.*ground, victor: attacker/,
    ['/wars/w1', '/wars/w1/battles'],
  ],
  ['wars', {}, /w1.* Valdoria against Tresk/, ['/wars?status=active']],
  ['wars', { nation: 'Tresk' }, /w1.* Valdoria against Tresk/, ['/wars?nation_id=n5&status=active']],
  ['wars', { nation: 'Sorrow' }, /^There is nothing to show\.$/, ['/wars?nation_id=n7&status=active']],
  ['market', {}, /^food: 2\.25 credits\nsteel: 412\.5 credits$/, ['/market/price']],
  ['rankings', { board: 'nations' }, /^#1 Valdoria: 1,843\.25\n#2 Karsk/, ['/rankings?board=nations']],
  ['rankings', { board: 'alliances' }, /^#1 Northern Pact: 4,543\.25\n/, ['/rankings?board=alliances']],
  ['conflict', {}, /War of the Straits.*, active, start: <t:1777975200:R>/, ['/global-conflicts']],
  ['era', {}, /First Age.*, active, start: <t:1777629600:R>/, ['/eras']],
  [
    'nukes',
    {},
    /^<t:1778320800:R>: Valdoria launched a nuclear missile at Tresk\.$/,
    ['/events?type=strategic_weapon.launched'],
  ],
  ['history', {}, /The straits are closed.*\n.*Valdoria declared war on Tresk/s, ['/events', '/news']],
]
const names = [...new Set(commands.map(([name]) => name)), 'verify']

/** Whether a request has the path, and at least the parameters of another. */
function includes(request: string, expected: string): boolean {
  const [one, other] = [request, expected].map(path => new URL(path, 'http://game.example'))
  return (
    one?.pathname === other?.pathname &&
    [...(other?.searchParams ?? [])].every(([name, value]) => one?.searchParams.get(name) === value)
  )
}

const skipOf = ({ skip }: Language) => ({ skip: skip ?? false })

/** Each command, with a server. */
export function testCommands(language: Language): void {
  describe(`bot.${language.extension} in a small world`, skipOf(language), () => {
    let chancery: TestServer
    let game: Game
    let bot: SmallBot
    before(async () => {
      chancery = await startTestServer({}, { facts: smallWorld() })
      game = await forwardTo(chancery.url)
      bot = await startSmallBot(language, game.url)
    })
    after(async () => {
      await bot.close()
      await game.close()
      await chancery.close()
    })

    test('registers the commands of the specification, with what Discord requires of their options', () => {
      assert.deepEqual(bot.commands.map(({ name }: { name: string }) => name).sort(), names.toSorted())
      for (const { description, options = [] } of bot.commands) {
        assert.match(description, /\w/)
        for (const option of options) assert.deepEqual([option.type, option.description !== ''], [3, true])
      }
      const board = bot.commands.find(({ name }: { name: string }) => name === 'rankings').options[0]
      assert.deepEqual(
        board.choices.map(({ value }: { value: string }) => value),
        ['nations', 'alliances'],
      )
    })

    for (const [name, options, expected, requests] of commands)
      test(`${[name, ...Object.values(options)].join(' ')} is acknowledged at once, then shown without mentions`, async () => {
        game.requests.length = 0
        const { callback, shown } = await bot.execute(name, options)
        assert.equal(callback.type, 5)
        assert.match(shown.content.replaceAll(/\*\*|`/g, ''), expected)
        assert.deepEqual(shown.allowed_mentions, { parse: [] })
        for (const request of requests)
          assert.ok(
            game.requests.some(({ path }) => includes(path, request)),
            `no request ${request}`,
          )
      })

    test('verify redeems a code for the account that sends it, once, and shows the result only to that account', async () => {
      const code = await chancery.makeCode('n2', caller)
      const other = await bot.execute('verify', { code }, { account: '700000000000000002' })
      assert.match(other.shown.content, /code is unknown/)
      const { callback, shown } = await bot.execute('verify', { code })
      assert.deepEqual(callback, { type: 5, data: { flags: 64 } })
      assert.match(shown.content, /^You lead \*\*Karsk\*\* .*, officer of Northern Pact\.$/)
      assert.match(await bot.run('verify', { code }), /already been redeemed/)
    })

    test('an unknown name or id has a sentence', async () => {
      for (const [name, options] of [
        ['nation', { name: 'unknown' }],
        ['alliance', { name: 'no/../where?' }],
        ['war', { id: 'w0' }],
        ['wars', { nation: 'an unknown one' }],
      ] as const)
        assert.equal(await bot.run(name, options), 'There is nothing by that name or id.')
    })
  })
}

const failure = (status: number, code: string, message: string, retryAfter: string) =>
  Response.json(
    { error: { code, message, request_id: 'req_77' } },
    { status, headers: { 'retry-after': retryAfter } },
  )

/** The message of a bot that lacks its token. */
export function testMissingToken(language: Language): void {
  test(
    `bot.${language.extension} without a token says what is missing, and exits with 1`,
    skipOf(language),
    async () => {
      const { child, errors } = startProgram(language, 'bot', {
        url: 'http://127.0.0.1:9',
        discordApi: 'http://127.0.0.1:9',
        env: { DISCORD_TOKEN: '' },
      })
      const [status] = await once(child, 'close')
      assert.deepEqual([errors(), status], ['DISCORD_TOKEN is not set. It is the token of your bot.\n', 1])
    },
  )
}

/** Replies to errors, and to the largest responses. */
export function testErrorsAndLimits(language: Language): void {
  describe(`bot.${language.extension}, when the game`, skipOf(language), () => {
    let respond: (url: string) => Promise<Response>
    let game: Game
    let bot: SmallBot
    before(async () => {
      game = await startGame(url => respond(url))
      bot = await startSmallBot(language, game.url, { CHANCERY_KEY: 'chk_of_a_test' })
    })
    after(async () => {
      await bot.close()
      await game.close()
    })

    test('requires a scope, names it', async () => {
      respond = async () => failure(403, 'insufficient_scope', 'This key lacks the scope military.read.', '')
      assert.equal(await bot.run('market'), 'This key lacks the scope military.read.')
      assert.equal(game.requests[0]?.headers.authorization, 'Bearer chk_of_a_test')
    })

    test('fails, says when to try again, and nothing else of the error', async () => {
      respond = async () => failure(500, 'internal_error', 'secret detail', '1')
      assert.equal(await bot.run('market'), 'This did not work. Try again in 1 s.')
    })

    test('returns something else, says that the command failed, and logs the cause', async () => {
      const pagination = { page: 1, limit: 25, total: 1, pages: 1 }
      respond = async () => Response.json({ data: [{ status: 1 }], pagination })
      assert.match(await bot.run('era'), /^This did not work\. /)
      await until(() => /(Type|Key)Error/.test(bot.errors()), 'the cause is logged')
    })

    test('returns the longest texts with characters that Discord interprets, shows them as they are in one message', async () => {
      const largest = largestGame('@*[<_`👍')
      respond = url => largest(`http://game.example${url}`)
      const verify = ['verify', { code: 'K7PWM3XQ9T' }] as const
      for (const [name, options] of [...commands, verify]) {
        const { content } = (await bot.execute(name, options)).shown
        // Discord counts characters.
        const { length } = [...content]
        assert.ok(length > 0 && length <= 2_000, `${name}: ${length}`)
        const unescaped = content.replaceAll(/\\[^A-Za-z0-9\s]|<t:\d+:R>/g, '')
        assert.doesNotMatch(unescaped, /[<[_]|@(?!\u200b)|(?<!\*)\*(?!\*)/, name)
      }
    })

    // The client then waits until it may send again: no request follows.
    test('limits its requests, says when to try again, and never prints a key or a token', async () => {
      respond = async () => failure(429, 'rate_limited', 'Rate limit exceeded.', '120')
      assert.equal(await bot.run('war', { id: 'w2' }), 'Too many requests. Try again in 120 s.')
      assert.doesNotMatch(bot.errors(), /chk_of_a_test|token-of-a-test/)
    })
  })
}
