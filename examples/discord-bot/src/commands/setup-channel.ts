import type { Command } from '../command.ts'
import { sentence } from '../reply.ts'
import { plain, text } from '../text.ts'

export const setupChannel: Command = {
  name: 'setup channel',
  description: 'Tells of wars and strategic launches in a channel; without one, no more',
  isForManagers: true,
  isPrivate: true,
  options: [{ name: 'channel', description: 'Where to tell of them', kind: 'channel' }],
  async run({ values, guild }, { store }) {
    if (guild === null) return sentence(plain('Set up a channel in a server, not in a private conversation.'))
    const channel = values.channel ?? null
    store.setNewsChannel(guild, channel)
    return sentence(
      channel === null
        ? plain('No channel hears of wars from now on.')
        : text`Wars and strategic launches are told in ${[{ channel }]} from now on.`,
    )
  },
}
