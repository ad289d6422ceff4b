import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type {
  Alliance,
  ChanceryEvent,
  Conflict,
  Era,
  MarketPrice,
  Nation,
  NationHistoryPoint,
  NewsItem,
  War,
} from '@chancery/client'
import { curve, number } from '../src/text.ts'
import { startTestBot, type TestBot } from './support/bot.ts'
import { type Demo, startDemo } from './support/demo.ts'
import { roleIds } from './support/discord.ts'
import { caller } from './support/users.ts'

let demo: Demo
let bot: TestBot
before(async () => {
  demo = await startDemo()
})
after(() => demo.stop())
beforeEach(async () => {
  bot = await startTestBot({ baseUrl: demo.url })
})
afterEach(() => bot.close())

const first = async <T>(path: string): Promise<T> => {
  const [item] = await demo.list<T>(path)
  assert.ok(item, `the demo has an item at ${path}`)
  return item
}
const flat = (shown: string) => shown.replace(/\s+/g, ' ')
const shows = (shown: string, ...parts: (string | number)[]) => {
  for (const part of parts) assert.ok(flat(shown).includes(String(part)), `${part} in:\n${shown}`)
}
const requests = (...paths: string[]) =>
  assert.deepEqual([...new Set(bot.requested.filter(path => path !== '/game'))].sort(), paths)

describe('each command, in the demo world', () => {
  test('nation shows the nation that the search finds', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const shown = await bot.run('nation', { nation: nation.nation_name })
    shows(shown, nation.nation_name, nation.leader_name, number(nation.national_score), `Nation ${nation.id}`)
    shows(shown, nation.alliance?.alliances.name ?? 'none', `(number ${nation.rank})`, nation.motto ?? '')
    const from = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)
    const points = await demo.list<NationHistoryPoint>(`/nations/${nation.id}/history?from=${from}&limit=31`)
    shows(shown, `Score since ${from}`, curve(points.map(({ national_score }) => national_score)))
    requests(
      `/nations/${nation.id}`,
      `/nations/${nation.id}/history?from=${from}&limit=31`,
      `/nations?limit=6&search=${nation.nation_name}`,
    )
  })

  test('nation names the others that its search found', async () => {
    const found = await demo.list<Nation>('/nations?search=a&limit=4')
    const others = `Also found: ${found[1]?.nation_name}, ${found[2]?.nation_name}`
    shows(await bot.run('nation', { nation: 'a' }), found[0]?.nation_name ?? '', others)
  })

  test('nation takes an id, and has a sentence for one that does not exist', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    shows(await bot.run('nation', { nation: nation.id }), nation.nation_name)
    shows(await bot.run('nation', { nation: 'no-such-nation' }), 'There is nothing by that id.')
    shows(
      await bot.run('nation', { nation: 'Not one!' }),
      'There is no nation or leader by the name Not one!',
    )
  })

  test('alliance shows the alliance and its members, page by page', async () => {
    const alliances = await demo.list<Alliance>('/alliances?limit=100')
    const alliance = alliances.find(({ member_count }) => member_count > 10)
    assert.ok(alliance, 'the demo has an alliance of more than a page')
    const path = `/alliances/${alliance.id}/members?limit=20`
    const members = await demo.list<{ nation_name: string; rank_title: string }>(path)
    const { shown, text } = await bot.execute('alliance', { alliance: `id:${alliance.id}` })
    shows(text, `${alliance.name} [${alliance.tag}]`, alliance.leader?.nation_name ?? '')
    shows(text, number(alliance.total_score), `${alliance.member_count} nations`)
    for (const of of members.slice(0, 10)) shows(text, `${of.nation_name}, ${of.rank_title}`)
    requests(`/alliances/${alliance.id}`, `/alliances/${alliance.id}/members?limit=10&page=1`)
    const [, here, forward] = shown.components[0].components
    assert.match(here.label, /^1 of /)
    const next = await bot.press(forward.custom_id)
    shows(next.text, members[10]?.nation_name ?? '')
    assert.match(next.shown.components[0].components[1].label, /^2 of /)
    assert.ok(!flat(next.text).includes(`${members[0]?.nation_name},`))
  })

  test('alliance finds an alliance by its tag', async () => {
    const alliance = await first<Alliance>('/alliances?limit=1')
    shows(await bot.run('alliance', { alliance: alliance.tag }), alliance.name)
  })

  test('wars shows the active wars', async () => {
    const war = await first<War>('/wars?status=active&limit=1')
    const shown = await bot.run('wars')
    shows(shown, war.attacker.nation_name, war.defender.nation_name, war.id, 'active wars')
    requests('/wars?limit=6&page=1&status=active')
  })

  test('wars of a nation shows only its wars', async () => {
    const war = await first<War>('/wars?status=active&limit=1')
    shows(await bot.run('wars', { nation: `id:${war.attacker.nation_id}` }), war.id)
    requests(`/wars?limit=6&nation_id=${war.attacker.nation_id}&page=1&status=active`)
    const nations = await demo.list<Nation>('/nations?limit=100')
    const peaceful = nations.find(({ wars }) => wars.active_offensive + wars.active_defensive === 0)
    shows(await bot.run('wars', { nation: `id:${peaceful?.id}` }), '0 active wars')
  })

  test('war shows both sides, their losses and the battles', async () => {
    const war = (await demo.list<War>('/wars?limit=100')).find(of => of.battles_count > 6)
    assert.ok(war)
    const { shown, text } = await bot.execute('war', { war: war.id })
    shows(text, `${war.attacker.nation_name} against ${war.defender.nation_name}`, war.reason ?? '')
    for (const [unit, lost] of Object.entries(war.losses.attacker))
      if (lost > 0) shows(text, `${number(lost)} ${unit}`)
    assert.match(text, /(won|draw)\n/)
    assert.equal(shown.components.length, 1)
    requests(`/wars/${war.id}`, `/wars/${war.id}/battles?limit=6&page=1`)
  })

  test('market shows every price', async () => {
    const prices = await demo.list<MarketPrice>('/market/price')
    const shown = await bot.run('market')
    shows(shown, 'Uranium', ...prices.map(({ price }) => `${number(price)} credits`))
    requests('/market/price?limit=15&page=1')
  })

  test('rankings shows either board', async () => {
    const { nation, national_score } = await first<{ nation: Nation; national_score: number }>(
      '/rankings?limit=1',
    )
    const { alliance } = await first<{ alliance: Alliance }>('/rankings?board=alliances&limit=1')
    shows(await bot.run('rankings'), `#1 ${nation.nation_name}`, number(national_score))
    shows(await bot.run('rankings', { board: 'alliances' }), `#1 ${alliance.name} [${alliance.tag}]`)
    requests('/rankings?board=alliances&limit=10&page=1', '/rankings?board=nations&limit=10&page=1')
    const by = await first<{ nation: Nation; value: number }>('/rankings?attribute=prestige&limit=1')
    shows(await bot.run('rankings', { by: 'Prestige' }), `#1 ${by.nation.nation_name}`, number(by.value))
    shows(
      await bot.run('rankings', { by: 'fame' }),
      'The game ranks nations by their score, or by: prestige.',
    )
  })

  test('conflict shows the latest global conflict with its sides', async () => {
    const conflict = await first<Conflict>('/global-conflicts?limit=1')
    const shown = await bot.run('conflict')
    shows(shown, conflict.name, conflict.cause ?? '', ...conflict.sides.map(({ name }) => name))
    shows(shown, ...conflict.sides.map(side => `${number(side.battles_won)} battle`))
    requests('/global-conflicts?limit=1&page=1')
  })

  test('era shows the eras, the latest first', async () => {
    const eras = await demo.list<Era>('/eras')
    const champion = eras.find(of => of.champion)?.champion?.name ?? ''
    shows(await bot.run('era'), ...eras.map(({ name }) => name), champion)
    requests('/eras?limit=5&page=1')
  })

  test('nukes shows attacker, weapon and target of a launch', async () => {
    const launch = await first<ChanceryEvent>('/events?type=strategic_weapon.launched&limit=1')
    shows(await bot.run('nukes'), launch.summary, launch.war_id ?? '')
    requests('/events?limit=10&page=1&type=strategic_weapon.launched')
  })

  test('history shows events and news', async () => {
    const event = await first<ChanceryEvent>('/events?type=war.*&limit=1')
    const item = await first<NewsItem>('/news?limit=1')
    let shown = await bot.run('history')
    shows(shown, item.title)
    for (let page = 2; page <= 6; page += 1) shown += (await bot.press(`page|${page}|history|`)).text
    shows(shown, event.summary)
    assert.deepEqual([...new Set(bot.requested.map(path => path.split('?')[0]))], ['/events', '/news'])
  })

  test('verify shows the identity of a code from the command line', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const code = (await demo.issueCode(nation.id)).toLowerCase()
    const shown = await bot.run('verify', { code })
    shows(shown, `Verified: ${nation.nation_name}`, nation.leader_name)
    shows(shown, nation.alliance?.alliances.name ?? 'none')
    requests(`/discord/verify/${code}?for=${caller}`)
    shows(await bot.run('verify', { code }), 'was used before')
  })
})

describe('verification and roles', () => {
  test('a code made for an account works only for that account', async () => {
    const nation = await first<Nation>('/nations?limit=1')
    const code = await demo.issueCode(nation.id, '77')
    shows(await bot.run('verify', { code }, { account: '78' }), 'This code does not work here')
    shows(await bot.run('verify', { code }, { account: '77' }), `Verified: ${nation.nation_name}`)
  })

  test('verified accounts get the roles of the rules, and of rules that are added later', async () => {
    const { low: citizen, own: council, high: chancellor } = roleIds
    const nations = await demo.list<Nation>('/nations?limit=100')
    const nation = nations.find(of => of.alliance?.rank === 'officer')
    assert.ok(nation?.alliance)
    const roles = new Set<string>()
    bot.discord.memberRoles.set(caller, roles)
    await bot.run('setup role', { role: citizen })
    const alliance = `id:${nation.alliance.alliance_id}`
    await bot.run('setup role', { role: council, alliance, rank: 'officer' })
    await bot.run('setup role', { role: chancellor, rank: 'leader' })
    const shown = await bot.run('verify', { code: await demo.issueCode(nation.id) })
    shows(shown, `Roles given: <@&${citizen}>, <@&${council}>`)
    shows(await bot.run('setup show'), `<@&${chancellor}> goes to the rank`, '1 account')
    await bot.run('setup role', { role: chancellor, alliance })
    assert.deepEqual([...roles], [citizen, council, chancellor])
    shows(await bot.run('setup show'), `<@&${citizen}> goes to all`)
    shows(await bot.run('setup remove', { role: citizen }), `<@&${citizen}> is no longer given`)
    assert.deepEqual([...roles], [council, chancellor])
  })

  test('an unknown rank is rejected with the list of ranks', async () => {
    const shown = await bot.run('setup role', { role: roleIds.low, rank: 'king' })
    shows(shown, 'There is no rank king', 'officer')
  })
})
