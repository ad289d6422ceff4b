import { type ChanceryEvent, CursorExpired } from '@chancery/client'
import { EmbedBuilder, italic } from 'discord.js'
import type { Bot } from './command.ts'
import { outcomeText, partyText } from './format.ts'
import type { RoleUpdater } from './roles.ts'
import { name } from './text.ts'

/** The event types that the bot follows. */
const eventTypes = [
  'war.*',
  'strategic_weapon.launched',
  'alliance.*',
  'nation.*',
  'era.ended',
  'record.redacted',
]

/** The message for the news channels; undefined for other events. */
export function announcement(event: ChanceryEvent): EmbedBuilder | undefined {
  const embed = new EmbedBuilder()
  if (event.war_id !== null) embed.setFooter({ text: `War ${event.war_id}` })
  if (event.type === 'war.declared') {
    const { attacker, defender, war } = event.data
    const reason = war.reason === null ? '' : `\n“${italic(name(war.reason, 500))}”`
    const parties = [partyText(attacker, war.attacker_type), partyText(defender, war.defender_type)]
    const line = war.is_mutual
      ? `${parties.join(' and ')} went to war.`
      : `${parties.join(' declared war on ')}.`
    return embed.setTitle('War declared').setDescription(line + reason)
  }
  if (event.type === 'war.ended') {
    const { attacker, defender, outcome, game_outcome, war } = event.data
    const result = outcomeText({ status: 'ended', outcome, game_outcome })
    const line = `${partyText(attacker, war.attacker_type)} against ${partyText(defender, war.defender_type)}: ${result}.`
    return embed.setTitle('War ended').setDescription(line)
  }
  embed.setDescription(name(event.summary, 1_000))
  if (event.type === 'strategic_weapon.launched') return embed.setTitle('Strategic launch')
  return event.type.startsWith('war.') ? embed : undefined
}

async function post({ discord }: Bot, channelId: string, embed: EmbedBuilder): Promise<void> {
  const channel = await discord.channels.fetch(channelId)
  if (!channel?.isSendable()) throw new Error(`channel ${channelId} takes no messages`)
  await channel.send({ embeds: [embed] })
}

/** Updates roles and announces. */
export async function handleEvent(event: ChanceryEvent, bot: Bot, updater: RoleUpdater): Promise<void> {
  const { store, onError } = bot
  if (/^(alliance|nation)\./.test(event.type)) updater.update(event.nation_ids)
  if (event.type === 'alliance.disbanded')
    for (const id of event.alliance_ids)
      updater.update(store.linksOfAlliance(id).map(({ nationId }) => nationId))
  // A reset has no events for the nations that are gone.
  if (event.type === 'era.ended' && event.data.reset !== null) updater.updateAll()
  if (event.type === 'record.redacted' && event.data.resource === 'nation') {
    store.deleteNationName(event.data.id)
    updater.update([event.data.id])
  }
  const embed = announcement(event)
  if (embed)
    await Promise.all(store.newsChannels().map(({ channel }) => post(bot, channel, embed).catch(onError)))
}

/** Follows the event stream from the stored position until the signal. An event that a crash interrupts is handled again. */
export async function followEvents(bot: Bot, updater: RoleUpdater, signal: AbortSignal): Promise<void> {
  const { api, store } = bot
  while (!signal.aborted)
    try {
      for await (const event of api.events.follow({ type: eventTypes, after: store.position(), signal })) {
        await handleEvent(event, bot, updater)
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
