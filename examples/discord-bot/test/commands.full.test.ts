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
import { guildId, testBot } from './support/bot.ts'
import { type Demo, startDemo } from './support/demo.ts'
import { recorder } from './support/recorder.ts'

let demo: Demo
before(async () => {
  demo = await startDemo()
})
after(() => demo.stop())

/** A bot with an empty cache, and the requests that it sends. */
function freshBot(account?: string) {
  const { fetch, requested } = recorder()
  const bot = testBot({ baseUrl: demo.url, fetch }, account === undefined ? {} : { account })
  return { ...bot, requested: () => requested.filter(path => path !== '/game').sort() }
}

const first = async <T>(path: string): Promise<T> => {
  const [item] = await demo.list<T>(path)
  assert.ok(item, `the demo has an item at ${path}`)
  return item
}

const flat = (shown: string) => shown.replace(/\s+/g, ' ')
const shows = (shown: string, ...parts: (string | number)[]) => {
  for (const part of parts) assert.ok(flat(shown).includes(String(part)), `${part} in:\n${shown}`)
}

describe('each command, in the demo world', () => {
  test('nation shows the nation that the search finds', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const { run, requested } = freshBot()
    const shown = await run('nation', { nation: nation.nation_name })
    shows(shown, nation.nation_name, nation.leader_name, number(nation.national_score), `Nation ${nation.id}`)
    shows(shown, nation.alliance?.alliances.name ?? 'none', `(number ${nation.rank})`, nation.motto ?? '')
    assert.deepEqual(requested(), [`/nations/${nation.id}`, `/nations?limit=6&search=${nation.nation_name}`])
  })

  test('nation names the others that its search found', async () => {
    const { run } = freshBot()
    const found = await demo.list<Nation>('/nations?search=a&limit=4')
    const shown = await run('nation', { nation: 'a' })
    shows(
      shown,
      found[0]?.nation_name ?? '',
      `Also found: ${found[1]?.nation_name}, ${found[2]?.nation_name}`,
    )
  })

  test('nation takes an id, and has a sentence for one that does not exist', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const { run } = freshBot()
    shows(await run('nation', { nation: nation.id }), nation.nation_name)
    shows(await run('nation', { nation: 'no-such-nation' }), 'There is nothing by that id.')
    shows(
      await run('nation', { nation: 'There is no such nation!' }),
      'There is no nation or leader by the name',
    )
  })

  test('alliance shows the alliance and its members, page by page', async () => {
    const alliance = await first<Alliance>('/alliances?limit=1')
    const members = await demo.list<{ nation_name: string; rank_title: string }>(
      `/alliances/${alliance.id}/members?limit=20`,
    )
    const { run, requested } = freshBot()
    const shown = await run('alliance', { alliance: `id:${alliance.id}` })
    shows(shown, `${alliance.name} [${alliance.tag}]`, alliance.leader?.nation_name ?? '')
    shows(shown, number(alliance.total_score), `${alliance.member_count} nations`)
    for (const of of members.slice(0, 10)) shows(shown, `${of.nation_name}, ${of.rank_title}`)
    assert.deepEqual(requested(), [
      `/alliances/${alliance.id}`,
      `/alliances/${alliance.id}/members?limit=10&page=1`,
    ])
    assert.ok(members.length > 10, 'the demo has an alliance of more than a page')
    const next = await run('alliance', { alliance: `id:${alliance.id}` }, 2)
    shows(next, members[10]?.nation_name ?? '', 'Page 2 of')
    assert.ok(!flat(next).includes(`${members[0]?.nation_name},`))
  })

  test('alliance finds an alliance by its tag', async () => {
    const alliance = await first<Alliance>('/alliances?limit=1')
    const { run } = freshBot()
    shows(await run('alliance', { alliance: alliance.tag }), alliance.name)
  })

  test('wars shows the active wars', async () => {
    const war = await first<War>('/wars?status=active&limit=1')
    const { run, requested } = freshBot()
    const shown = await run('wars')
    shows(shown, `${war.attacker.nation_name}`, `${war.defender.nation_name}`, war.id, 'active wars')
    assert.deepEqual(requested(), ['/wars?limit=6&page=1&status=active'])
  })

  test('wars of a nation shows only its wars', async () => {
    const war = await first<War>('/wars?status=active&limit=1')
    const { run, requested } = freshBot()
    shows(await run('wars', { nation: `id:${war.attacker.nation_id}` }), war.id)
    assert.deepEqual(requested(), [`/wars?limit=6&nation_id=${war.attacker.nation_id}&page=1&status=active`])
    const peaceful = (await demo.list<Nation>('/nations?limit=100')).find(
      ({ wars }) => wars.active_offensive + wars.active_defensive === 0,
    )
    shows(await run('wars', { nation: `id:${peaceful?.id}` }), '0 active wars')
  })

  test('war shows both sides, their losses and the battles', async () => {
    const war = (await demo.list<War>('/wars?limit=100')).find(of => of.battles_count > 6)
    assert.ok(war)
    const { run, requested } = freshBot()
    const shown = await run('war', { war: war.id })
    shows(shown, `${war.attacker.nation_name} against ${war.defender.nation_name}`, war.reason ?? '')
    for (const [unit, lost] of Object.entries(war.losses.attacker))
      if (lost > 0) shows(shown, `${number(lost)} ${unit}`)
    assert.match(shown, /(won|draw)\n/)
    shows(shown, 'Page 1 of')
    assert.deepEqual(requested(), [`/wars/${war.id}`, `/wars/${war.id}/battles?limit=6&page=1`])
  })

  test('market shows every price', async () => {
    const prices = await demo.list<MarketPrice>('/market/price')
    const { run, requested } = freshBot()
    const shown = await run('market')
    for (const { price } of prices) shows(shown, `${number(price)} credits`)
    shows(shown, 'Uranium')
    assert.deepEqual(requested(), ['/market/price?limit=15&page=1'])
  })

  test('rankings shows either board', async () => {
    const nation = await first<{ nation: Nation; national_score: number }>('/rankings?limit=1')
    const alliance = await first<{ alliance: Alliance }>('/rankings?board=alliances&limit=1')
    const { run, requested } = freshBot()
    shows(await run('rankings'), `#1 ${nation.nation.nation_name}`, number(nation.national_score))
    shows(
      await run('rankings', { board: 'alliances' }),
      `#1 ${alliance.alliance.name} [${alliance.alliance.tag}]`,
    )
    assert.deepEqual(requested(), [
      '/rankings?board=alliances&limit=10&page=1',
      '/rankings?board=nations&limit=10&page=1',
    ])
  })

  test('conflict shows the latest global conflict with its sides', async () => {
    const conflict = await first<Conflict>('/global-conflicts?limit=1')
    const { run, requested } = freshBot()
    const shown = await run('conflict')
    shows(shown, conflict.name, conflict.cause ?? '', ...conflict.sides.map(({ name }) => name))
    shows(shown, ...conflict.sides.map(side => `${number(side.battles_won)} battle`))
    assert.deepEqual(requested(), ['/global-conflicts?limit=1&page=1'])
  })

  test('era shows the eras, the latest first', async () => {
    const eras = await demo.list<Era>('/eras')
    const { run, requested } = freshBot()
    const shown = await run('era')
    shows(shown, ...eras.map(({ name }) => name), eras.find(({ champion }) => champion)?.champion?.name ?? '')
    assert.deepEqual(requested(), ['/eras?limit=5&page=1'])
  })

  test('nukes shows attacker, weapon and target of a launch', async () => {
    const launch = await first<ChanceryEvent>('/events?type=strategic_weapon.launched&limit=1')
    const { run, requested } = freshBot()
    shows(await run('nukes'), launch.summary, launch.war_id ?? '')
    assert.deepEqual(requested(), ['/events?limit=10&page=1&type=strategic_weapon.launched'])
  })

  test('history shows events and news', async () => {
    const [event] = await demo.list<ChanceryEvent>('/events?type=war.*&limit=1')
    const item = await first<NewsItem>('/news?limit=1')
    const { run, requested } = freshBot()
    const shown = await run('history')
    shows(shown, item.title)
    let all = shown
    for (let page = 2; page <= 6; page += 1) all += await run('history', {}, page)
    shows(all, event?.summary ?? '')
    assert.deepEqual([...new Set(requested().map(path => path.split('?')[0]))], ['/events', '/news'])
  })

  test('verify shows the identity of a code from the command line', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const code = await demo.issueCode(nation.id)
    const { run, requested } = freshBot('80351110224678912')
    const shown = await run('verify', { code: code.toLowerCase() })
    shows(
      shown,
      `Verified: ${nation.nation_name}`,
      nation.leader_name,
      nation.alliance?.alliances.name ?? 'none',
    )
    assert.deepEqual(requested(), [`/discord/verify/${code.toLowerCase()}?for=80351110224678912`])
    shows(await run('verify', { code: code }), 'was used before')
  })
})

describe('verification and roles', () => {
  test('a code made for an account works only for that account', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const code = await demo.issueCode(nation.id, 'user-7')
    shows(await freshBot('user-8').run('verify', { code: code }), 'This code does not work here')
    shows(await freshBot('user-7').run('verify', { code: code }), `Verified: ${nation.nation_name}`)
  })

  test('verified accounts get the roles of the rules, and of rules that are added later', async () => {
    const nation = (await demo.list<Nation>('/nations?limit=100')).find(of => of.alliance?.rank === 'officer')
    assert.ok(nation?.alliance)
    const { run, roles } = freshBot('user-9')
    await run('setup role', { role: 'Citizen' })
    const alliance = `id:${nation.alliance.alliance_id}`
    await run('setup role', { role: 'War council', alliance, rank: 'officer' })
    await run('setup role', { role: 'Chancellors', rank: 'leader' })
    const shown = await run('verify', { code: await demo.issueCode(nation.id) })
    shows(shown, 'Roles given: <@&Citizen>, <@&War council>')
    await run('setup role', { role: 'Brothers', alliance })
    assert.deepEqual(await roles.held(guildId, 'user-9'), ['Citizen', 'War council', 'Brothers'])
    shows(await run('setup show'), '<@&Chancellors> goes to the rank', '<@&Citizen> goes to all', '1 account')
    shows(await run('setup remove', { role: 'Citizen' }), '<@&Citizen> is no longer given')
    assert.deepEqual(await roles.held(guildId, 'user-9'), ['War council', 'Brothers'])
  })

  test('an unknown rank is rejected with the list of ranks', async () => {
    shows(
      await freshBot().run('setup role', { role: 'Kings', rank: 'king' }),
      'There is no rank king',
      'officer',
    )
  })
})

describe('on errors', () => {
  test('every command has a sentence for an unavailable service', async () => {
    const { run, errors } = testBot({ baseUrl: 'http://127.0.0.1:9', retries: 0 })
    const calls: [string, Record<string, string>][] = [
      ['nation', { nation: 'x' }],
      ['alliance', { alliance: 'x' }],
      ['war', { war: 'w1' }],
      ...['wars', 'market', 'rankings', 'conflict', 'era', 'nukes', 'history'].map(
        (name): [string, Record<string, string>] => [name, {}],
      ),
      ['verify', { code: 'K7PWM3XQ9T' }],
    ]
    for (const [name, options] of calls)
      shows(await run(name, options), 'The game’s API is unavailable at the moment.')
    assert.deepEqual(errors, [])
  })

  test('an exhausted rate limit is reported with the time to wait', async () => {
    const body = { error: { code: 'rate_limited', message: 'no', request_id: 'req_1' } }
    const refuse = async () => Response.json(body, { status: 429, headers: { 'retry-after': '120' } })
    const { run } = testBot({ baseUrl: 'http://game.example', retries: 0, fetch: refuse })
    shows(await run('market'), 'Please try again in 120 seconds.')
  })

  test('an unknown failure shows its request id, and nothing else of it', async () => {
    const body = { error: { code: 'internal_error', message: 'secret detail', request_id: 'req_77' } }
    const fail = async () => Response.json(body, { status: 500 })
    const { run } = testBot({ baseUrl: 'http://game.example', retries: 0, fetch: fail })
    const shown = await run('market')
    shows(shown, 'report req_77')
    assert.doesNotMatch(shown, /secret/)
  })

  test('an error of the bot itself has a sentence, and is reported to its operator', async () => {
    const { run, errors } = testBot({
      baseUrl: 'http://game.example',
      fetch: async () =>
        Response.json({ data: [{}], pagination: { page: 1, limit: 15, total: 1, pages: 1 } }),
    })
    shows(await run('market'), 'Something went wrong in this bot.')
    assert.equal(errors.length, 1)
  })
})
