import { type Chancery, type ChanceryEvent, CursorExpired, type EventType } from '@chancery/client'
import { EmbedBuilder, italic } from 'discord.js'
import type { Bot } from './command.ts'
import { outcomeText, sideText } from './format.ts'
import type { RoleUpdater } from './roles.ts'
import type { Store } from './store.ts'
import { name } from './text.ts'

/** The event types that the bot follows. */
const eventTypes = [
  'war.*',
  'strategic_weapon.launched',
  'alliance.*',
  'nation.renamed',
  'nation.deleted',
  'era.ended',
  'record.redacted',
] as const

const isOf = <K extends EventType>(
  event: ChanceryEvent,
  type: K,
): event is Extract<ChanceryEvent, { type: K }> => event.type === type

/** The message for the news channels; undefined for other events. */
export function announcement(event: ChanceryEvent): EmbedBuilder | undefined {
  const embed = new EmbedBuilder()
  if (event.war_id !== null) embed.setFooter({ text: `War ${event.war_id}` })
  if (isOf(event, 'war.declared')) {
    const { attacker, defender, war } = event.data
    const reason = war.reason === null ? '' : `\n“${italic(name(war.reason, 500))}”`
    const line = `${sideText(attacker)} declared war on ${sideText(defender)}.`
    return embed.setTitle('War declared').setDescription(line + reason)
  }
  if (isOf(event, 'war.ended')) {
    const { attacker, defender, outcome } = event.data
    const result = outcomeText({ status: 'ended', outcome })
    const line = `${sideText(attacker)} against ${sideText(defender)}: ${result}.`
    return embed.setTitle('War ended').setDescription(line)
  }
  const summary = name(event.summary, 1_000)
  if (event.type.startsWith('war.')) return embed.setDescription(summary)
  if (event.type !== 'strategic_weapon.launched') return undefined
  return embed.setTitle('Strategic launch').setDescription(summary)
}

async function post({ discord }: Bot, channelId: string, embed: EmbedBuilder): Promise<void> {
  const channel = await discord.channels.fetch(channelId)
  if (!channel?.isSendable()) throw new Error(`channel ${channelId} takes no messages`)
  await channel.send({ embeds: [embed] })
}

const nationTypes = new Set<string>([
  'alliance.member_joined',
  'alliance.member_left',
  'alliance.rank_changed',
  'nation.renamed',
  'nation.deleted',
])

/** Updates roles and announces. */
export async function handleEvent(event: ChanceryEvent, bot: Bot, updater: RoleUpdater): Promise<void> {
  const { store, onError } = bot
  if (nationTypes.has(event.type)) updater.update(event.nation_ids)
  if (event.type === 'alliance.disbanded')
    for (const id of event.alliance_ids)
      updater.update(store.linksOfAlliance(id).map(({ nationId }) => nationId))
  // A reset has no events for the nations that are gone.
  if (isOf(event, 'era.ended') && event.data.reset !== null) updater.updateAll()
  if (isOf(event, 'record.redacted') && event.data.resource === 'nation') {
    store.deleteNationName(event.data.id)
    updater.update([event.data.id])
  }
  const embed = announcement(event)
  if (embed)
    await Promise.all(store.newsChannels().map(({ channel }) => post(bot, channel, embed).catch(onError)))
}

export interface FollowOptions {
  client: Pick<Chancery, 'events'>
  store: Store
  updater: RoleUpdater
  handle(event: ChanceryEvent): Promise<void>
  signal: AbortSignal
}

/** Follows the event stream from the stored position until the signal. An event that a crash interrupts is handled again. */
export async function followEvents({ client, store, updater, handle, signal }: FollowOptions): Promise<void> {
  while (!signal.aborted) {
    const after = store.position()
    const events = client.events.follow({ type: eventTypes, signal, ...(after !== undefined && { after }) })
    try {
      for await (const event of events) {
        await handle(event)
        store.setPosition(event.seq)
      }
    } catch (err) {
      if (signal.aborted) return
      if (!(err instanceof CursorExpired)) throw err
      // Missed events show in the present state of the nations.
      store.setPosition(undefined)
      updater.updateAll()
    }
  }
}
