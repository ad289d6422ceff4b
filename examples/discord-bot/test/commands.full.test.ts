import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type {
  Alliance,
  ChanceryEvent,
  Conflict,
  Era,
  MarketPrice,
  Nation,
  NewsItem,
  War,
} from '@chancery/client'
import { number } from '../src/text.ts'
import { testBot } from './support/bot.ts'
import { type Demo, startDemo } from './support/demo.ts'
import { recorder } from './support/recorder.ts'

let demo: Demo
before(async () => {
  demo = await startDemo()
})
after(() => demo.stop())

/** A bot with nothing in its cache, and what it asks. */
function freshBot(account?: string) {
  const { fetch, asked } = recorder()
  const bot = testBot({ baseUrl: demo.url, fetch }, account === undefined ? {} : { account })
  return { ...bot, asked: () => asked.filter(path => path !== '/game').sort() }
}

const first = async <T>(path: string): Promise<T> => {
  const [thing] = await demo.list<T>(path)
  assert.ok(thing, `the demo has something at ${path}`)
  return thing
}

/** As the terminal shows it, without the breaks of its lines. */
const flat = (shown: string) => shown.replace(/\n▌ */g, ' ').replace(/ +/g, ' ')
const shows = (shown: string, ...parts: (string | number)[]) => {
  for (const part of parts) assert.ok(flat(shown).includes(String(part)), `${part} in:\n${shown}`)
}

describe('each command, in the demo world', () => {
  test('nation shows the nation that the search finds', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const { speak, asked } = freshBot()
    const shown = await speak(`nation ${nation.nation_name}`)
    shows(shown, nation.nation_name, nation.leader_name, number(nation.national_score), `Nation ${nation.id}`)
    shows(shown, nation.alliance?.alliances.name ?? 'none', `(number ${nation.rank})`, nation.motto ?? '')
    assert.deepEqual(asked(), [`/nations/${nation.id}`, `/nations?limit=6&search=${nation.nation_name}`])
  })

  test('nation names the others that its search found', async () => {
    const { speak } = freshBot()
    const found = await demo.list<Nation>('/nations?search=a&limit=4')
    const shown = await speak('nation a')
    shows(
      shown,
      found[0]?.nation_name ?? '',
      `Also found: ${found[1]?.nation_name}, ${found[2]?.nation_name}`,
    )
  })

  test('nation takes an id, and says kindly that there is none', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const { speak } = freshBot()
    shows(await speak(`nation ${nation.id}`), nation.nation_name)
    shows(await speak('nation no-such-nation'), 'There is nothing by that id.')
    shows(await speak('nation There is no such nation!'), 'There is no nation or leader by the name')
  })

  test('alliance shows the alliance and its members, page by page', async () => {
    const alliance = await first<Alliance>('/alliances?limit=1')
    const members = await demo.list<{ nation_name: string; rank_title: string }>(
      `/alliances/${alliance.id}/members?limit=20`,
    )
    const { speak, asked } = freshBot()
    const shown = await speak(`alliance id:${alliance.id}`)
    shows(shown, `${alliance.name} [${alliance.tag}]`, alliance.leader?.nation_name ?? '')
    shows(shown, number(alliance.total_score), `${alliance.member_count} nations`)
    for (const of of members.slice(0, 10)) shows(shown, `${of.nation_name}, ${of.rank_title}`)
    assert.deepEqual(asked(), [
      `/alliances/${alliance.id}`,
      `/alliances/${alliance.id}/members?limit=10&page=1`,
    ])
    assert.ok(members.length > 10, 'the demo has an alliance of more than a page')
    const next = await speak('next')
    shows(next, members[10]?.nation_name ?? '', 'Page 2 of')
    assert.ok(!flat(next).includes(`${members[0]?.nation_name},`))
  })

  test('alliance finds an alliance by its tag', async () => {
    const alliance = await first<Alliance>('/alliances?limit=1')
    const { speak } = freshBot()
    shows(await speak(`alliance ${alliance.tag}`), alliance.name)
  })

  test('wars shows the wars that go on, and war one of them with its battles', async () => {
    const war = await first<War>('/wars?status=active&limit=1')
    const { speak, asked } = freshBot()
    const shown = await speak('wars')
    shows(shown, `${war.attacker.nation_name}`, `${war.defender.nation_name}`, war.id, 'wars go on')
    assert.deepEqual(asked(), ['/wars?limit=6&page=1&status=active'])
  })

  test('wars of a nation shows its wars alone', async () => {
    const war = await first<War>('/wars?status=active&limit=1')
    const { speak, asked } = freshBot()
    shows(await speak(`wars id:${war.attacker.nation_id}`), war.id)
    assert.deepEqual(asked(), [`/wars?limit=6&nation_id=${war.attacker.nation_id}&page=1&status=active`])
    const peaceful = (await demo.list<Nation>('/nations?limit=100')).find(
      ({ wars }) => wars.active_offensive + wars.active_defensive === 0,
    )
    shows(await speak(`wars id:${peaceful?.id}`), '0 wars go on', 'Peace, for the moment.')
  })

  test('war shows both sides, what they lost, and the battles', async () => {
    const war = (await demo.list<War>('/wars?limit=100')).find(of => of.battles_count > 6)
    assert.ok(war)
    const { speak, asked } = freshBot()
    const shown = await speak(`war ${war.id}`)
    shows(shown, `${war.attacker.nation_name} against ${war.defender.nation_name}`, war.reason ?? '')
    for (const [unit, lost] of Object.entries(war.losses.attacker))
      if (lost > 0) shows(shown, `${number(lost)} ${unit}`)
    assert.match(shown, /(won|nobody won)\n/)
    shows(shown, 'Page 1 of')
    assert.deepEqual(asked(), [`/wars/${war.id}`, `/wars/${war.id}/battles?limit=6&page=1`])
  })

  test('market shows the price of everything that is traded', async () => {
    const prices = await demo.list<MarketPrice>('/market/price')
    const { speak, asked } = freshBot()
    const shown = await speak('market')
    for (const { price } of prices) shows(shown, `${number(price)} credits`)
    shows(shown, 'Uranium')
    assert.deepEqual(asked(), ['/market/price?limit=15&page=1'])
  })

  test('rankings shows either board', async () => {
    const nation = await first<{ nation: Nation; national_score: number }>('/rankings?limit=1')
    const alliance = await first<{ alliance: Alliance }>('/rankings?board=alliances&limit=1')
    const { speak, asked } = freshBot()
    shows(await speak('rankings'), `#1 ${nation.nation.nation_name}`, number(nation.national_score))
    shows(await speak('rankings alliances'), `#1 ${alliance.alliance.name} [${alliance.alliance.tag}]`)
    assert.deepEqual(asked(), [
      '/rankings?board=alliances&limit=10&page=1',
      '/rankings?board=nations&limit=10&page=1',
    ])
  })

  test('conflict shows the latest global conflict with its sides', async () => {
    const conflict = await first<Conflict>('/global-conflicts?limit=1')
    const { speak, asked } = freshBot()
    const shown = await speak('conflict')
    shows(shown, conflict.name, conflict.cause ?? '', ...conflict.sides.map(({ name }) => name))
    shows(shown, ...conflict.sides.map(side => `${number(side.battles_won)} battle`))
    assert.deepEqual(asked(), ['/global-conflicts?limit=1&page=1'])
  })

  test('era shows the eras, the latest first', async () => {
    const eras = await demo.list<Era>('/eras')
    const { speak, asked } = freshBot()
    const shown = await speak('era')
    shows(shown, ...eras.map(({ name }) => name), eras.find(({ champion }) => champion)?.champion?.name ?? '')
    assert.deepEqual(asked(), ['/eras?limit=5&page=1'])
  })

  test('nukes shows who launched what at whom', async () => {
    const launch = await first<ChanceryEvent>('/events?type=strategic_weapon.launched&limit=1')
    const { speak, asked } = freshBot()
    shows(await speak('nukes'), launch.summary, launch.war_id ?? '')
    assert.deepEqual(asked(), ['/events?limit=10&page=1&type=strategic_weapon.launched'])
  })

  test('history shows what happened and what the papers say', async () => {
    const [event] = await demo.list<ChanceryEvent>('/events?type=war.*&limit=1')
    const item = await first<NewsItem>('/news?limit=1')
    const { speak, asked } = freshBot()
    const shown = await speak('history')
    shows(shown, item.title)
    const pages = Array.from({ length: 5 }, () => 'next')
    let all = shown
    for (const line of pages) all += await speak(line)
    shows(all, event?.summary ?? '')
    assert.deepEqual([...new Set(asked().map(path => path.split('?')[0]))], ['/events', '/news'])
  })

  test('verify shows the identity that a code of the command line gives', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const code = await demo.issueCode(nation.id)
    const { speak, asked } = freshBot('80351110224678912')
    const shown = await speak(`verify ${code.toLowerCase()}`)
    shows(
      shown,
      `Verified: ${nation.nation_name}`,
      nation.leader_name,
      nation.alliance?.alliances.name ?? 'none',
    )
    assert.deepEqual(asked(), [`/discord/verify/${code.toLowerCase()}?for=80351110224678912`])
    shows(await speak(`verify ${code}`), 'was used before')
  })
})

describe('verification and roles', () => {
  test('a code made for an account works for that account alone', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const code = await demo.issueCode(nation.id, 'user-7')
    shows(await freshBot('user-8').speak(`verify ${code}`), 'This code does not work here')
    shows(await freshBot('user-7').speak(`verify ${code}`), `Verified: ${nation.nation_name}`)
  })

  test('the verified get the roles of the rules, and a rule that comes later reaches them too', async () => {
    const nation = (await demo.list<Nation>('/nations?limit=100')).find(of => of.alliance?.rank === 'officer')
    assert.ok(nation?.alliance)
    const { speak, roles } = freshBot('user-9')
    await speak('setup role Citizen')
    await speak(`setup role "War council" alliance=id:${nation.alliance.alliance_id} rank=officer`)
    await speak('setup role Chancellors rank=leader')
    const shown = await speak(`verify ${await demo.issueCode(nation.id)}`)
    shows(shown, 'Roles given: @Citizen, @War council')
    await speak(`setup role Brothers alliance=id:${nation.alliance.alliance_id}`)
    assert.deepEqual(await roles.held('terminal', 'user-9'), ['Citizen', 'War council', 'Brothers'])
    shows(await speak('setup show'), '@Chancellors for the rank', '@Citizen for all', '1 account')
    shows(await speak('setup forget Citizen'), '@Citizen is given no more')
    assert.deepEqual(await roles.held('terminal', 'user-9'), ['War council', 'Brothers'])
  })

  test('a rank that the game does not know is refused with those that it knows', async () => {
    shows(await freshBot().speak('setup role Kings rank=king'), 'There is no rank king', 'officer')
  })
})

describe('when something is in the way', () => {
  test('the service offline gives a kind sentence for every command', async () => {
    const { speak, errors } = testBot({ baseUrl: 'http://127.0.0.1:9', retries: 0 })
    const lines = [
      'nation x',
      'alliance x',
      'war w1',
      'wars',
      'market',
      'rankings',
      'conflict',
      'era',
      'nukes',
      'history',
    ]
    for (const line of [...lines, 'verify K7PWM3XQ9T'])
      shows(await speak(line), 'The game’s office does not answer at the moment. Nothing is lost')
    assert.deepEqual(errors, [])
  })

  test('the limit used up is said with the time to wait', async () => {
    const body = { error: { code: 'rate_limited', message: 'no', request_id: 'req_1' } }
    const refuse = async () => Response.json(body, { status: 429, headers: { 'retry-after': '120' } })
    const { speak } = testBot({ baseUrl: 'http://game.example', retries: 0, fetch: refuse })
    shows(await speak('market'), 'Please try again in 120 seconds.')
  })

  test('a failure that nobody knows is reported with its id, and with nothing else of it', async () => {
    const body = { error: { code: 'internal_error', message: 'secret detail', request_id: 'req_77' } }
    const fail = async () => Response.json(body, { status: 500 })
    const { speak } = testBot({ baseUrl: 'http://game.example', retries: 0, fetch: fail })
    const shown = await speak('market')
    shows(shown, 'report req_77')
    assert.doesNotMatch(shown, /secret/)
  })

  test('a mistake of the bot is a kind sentence too, and is told to its operator', async () => {
    const { speak, errors } = testBot({
      baseUrl: 'http://game.example',
      fetch: async () =>
        Response.json({ data: [{}], pagination: { page: 1, limit: 15, total: 1, pages: 1 } }),
    })
    shows(await speak('market'), 'I stumbled over this one.')
    assert.equal(errors.length, 1)
  })
})
