import type { Command } from '../command.ts'
import { list, sentence } from '../reply.ts'
import type { Rule } from '../store.ts'
import { code, counted, plain, type Text, text } from '../text.ts'
import type { Words } from '../words.ts'
import { orNothing } from './parts.ts'

export const setupShow: Command = {
  name: 'setup show',
  description: 'Shows the rules by which roles are given, and the channel of news',
  isForManagers: true,
  isPrivate: true,
  options: [],
  async run({ guild }, { store, words }) {
    if (guild === null) return sentence(plain('There is nothing to set up in a private conversation.'))
    const rules = await Promise.all(store.rules(guild).map(rule => ruleText(rule, words)))
    const channel = store.newsChannel(guild)
    return {
      embeds: [
        {
          title: plain('Setup'),
          fields: [
            list('Roles', orNothing(rules, 'No role is given.')),
            list('Wars and strategic launches', [
              channel === undefined ? plain('No channel hears of them.') : text`are told in ${[{ channel }]}`,
            ]),
            list('Verified', [plain(counted(store.linksOfGuild(guild).length, 'account'))]),
          ],
        },
      ],
    }
  },
}

async function ruleText({ role, allianceId, rank }: Rule, words: Words): Promise<Text> {
  const whom = rank === null ? 'all who are verified' : `the rank ${await words.label('ranks', rank)}`
  return text`${[{ role }]} for ${whom}${allianceId === null ? '' : text` in the alliance ${code(allianceId)}`}`
}
