// A Discord bot for a nation-strategy game, in one file to copy. How to run it: /docs/guides/your-first-bot
import { Chancery, ChanceryError } from '@chancery/client'
import { ApplicationCommandOptionType, Client, Events, MessageFlags, time } from 'discord.js'

const { DISCORD_TOKEN, CHANCERY_URL = 'http://127.0.0.1:8080', CHANCERY_KEY } = process.env
if (!DISCORD_TOKEN) {
  console.error('DISCORD_TOKEN is not set. It is the token of your bot.')
  process.exit(1)
}
const game = new Chancery({ baseUrl: CHANCERY_URL, apiKey: CHANCERY_KEY || undefined, retries: 1 })

/** Players write names and texts: one short line, without effect as Markdown, link, emoji or mention. */
function safe(text, max = 80) {
  const line = [...text.replace(/[\s\p{C}]+/gu, ' ').trim()].slice(0, max).join('')
  return line.replace(/[\\*_~`|<>[\]():#+-]/g, '\\$&').replaceAll('@', '@\u200b')
}
const number = value => value.toLocaleString('en', { maximumFractionDigits: 8 })
const ago = at => (at === null ? 'unknown' : time(new Date(at), 'R'))
const membership = of => (of ? `${safe(of.rank)} of ${safe(of.alliances.name)}` : 'no alliance')
const sides = of => `${safe(of.attacker.nation_name)} against ${safe(of.defender.nation_name)}`

// What a list shows of each item.
const member = of => `${safe(of.nation_name)}, ${safe(of.rank_title)}`
const battle = of => `${ago(of.fought_at)}: ${safe(of.kind ?? 'battle')}, victor: ${of.victor ?? 'unknown'}`
const activeWar = of => `\`${of.id}\` ${sides(of)}, declared ${ago(of.declared_at)}`
const price = of => `${safe(of.resource)}: ${number(of.price)} ${safe(of.currency)}`
const topNation = of => `#${of.rank} ${safe(of.nation.nation_name)}: ${number(of.national_score)}`
const topAlliance = of => `#${of.rank} ${safe(of.alliance.name)}: ${number(of.total_score)}`
const period = of => `**${safe(of.name)}**, ${of.status}, start: ${ago(of.started_at)}`
const event = of => `${ago(of.occurred_at)}: ${safe(of.summary, 300)}`
const newsItem = of => `${ago(of.published_at)}: **${safe(of.title)}**`

const lines = async (page, line) => (await page).data.map(line)
const events = type => lines(game.events.list({ type }), event)
/** The first nation or alliance that the search finds, else the one with this id. */
const find = async (all, text) => (await all.list({ search: text, limit: 1 })).data[0] ?? all.get(text)
async function nation(name) {
  const of = await game.nations.get((await find(game.nations, name)).id)
  const title = `**${safe(of.nation_name)}** (\`${of.id}\`), leader: ${safe(of.leader_name)}`
  return [title, `${membership(of.alliance)}, score ${number(of.national_score)}, rank ${of.rank ?? '–'}`]
}
async function alliance(name) {
  const of = await game.alliances.get((await find(game.alliances, name)).id)
  const title = `**${safe(of.name)}** (\`${of.id}\`), ${of.member_count} members, score ${number(of.total_score)}`
  return [title, ...(await lines(game.alliances.members(of.id), member))]
}
async function war(id) {
  const of = await game.wars.get(id)
  const title = `**${sides(of)}**, ${safe(of.outcome ?? of.status)}`
  return [title, ...(await lines(game.wars.battles(id), battle))]
}
async function wars(name) {
  const nation_id = name && [(await find(game.nations, name)).id]
  return lines(game.wars.list({ status: 'active', nation_id }), activeWar)
}
const rankings = board => lines(game.rankings.list({ board }), board === 'nations' ? topNation : topAlliance)
const history = async () => [...(await lines(game.news.list({ limit: 5 }), newsItem)), ...(await events())]
async function verify(code, account) {
  const { nation, alliance } = await game.discord.verify(code, { for: account })
  return [`You lead **${safe(nation.nation_name)}** (\`${nation.id}\`), ${membership(alliance)}.`]
}

const text = (name, more) => ({ type: ApplicationCommandOptionType.String, name, description: name, ...more })
const boards = { required: true, choices: ['nations', 'alliances'].map(name => ({ name, value: name })) }
// Each command as Discord shows it; `reply` gets the value of its option, and returns lines.
const commands = {
  nation: { description: 'A nation', options: [text('name', { required: true })], reply: nation },
  alliance: { description: 'An alliance', options: [text('name', { required: true })], reply: alliance },
  war: { description: 'A war and its battles', options: [text('id', { required: true })], reply: war },
  wars: { description: 'Active wars', options: [text('nation')], reply: wars },
  market: { description: 'The prices of the market', reply: () => lines(game.market.price(), price) },
  rankings: { description: 'A ranking', options: [text('board', boards)], reply: rankings },
  conflict: { description: 'The global conflicts', reply: () => lines(game.conflicts.list(), period) },
  era: { description: 'The eras of the game', reply: () => lines(game.eras.list(), period) },
  nukes: { description: 'Strategic launches', reply: () => events(['strategic_weapon.launched']) },
  history: { description: 'The latest news and events', reply: history },
  verify: { description: 'Proves your nation', options: [text('code', { required: true })], reply: verify },
}

function problem(error) {
  if (!(error instanceof ChanceryError)) console.error(error)
  if (error.code === 'not_found') return ['There is nothing by that name or id.']
  const wait = `Try again in ${error.retryAfter ?? 60} s.`
  if (error.code === 'rate_limited') return [`Too many requests. ${wait}`]
  return [error.status < 500 ? safe(error.message, 300) : `This did not work. ${wait}`]
}

const bot = new Client({ intents: [], allowedMentions: { parse: [] } })
bot.on(Events.Error, console.error)
bot.on(Events.InteractionCreate, async interaction => {
  if (!interaction.isChatInputCommand()) return
  const { commandName, options, user } = interaction
  // Discord waits for three seconds, and the game may take longer.
  await interaction.deferReply({ flags: commandName === 'verify' ? MessageFlags.Ephemeral : 0 })
  const all = await commands[commandName].reply(options.data[0]?.value, user.id).catch(problem)
  const fitting = all.filter((_, index) => all.slice(0, index + 1).join('\n').length <= 2_000)
  await interaction.editReply(fitting.join('\n') || 'There is nothing to show.')
})
await bot.login(DISCORD_TOKEN)
await bot.application.commands.set(Object.entries(commands).map(([name, command]) => ({ name, ...command })))
