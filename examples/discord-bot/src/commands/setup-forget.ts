import type { Command } from '../command.ts'
import { sentence } from '../reply.ts'
import { settle } from '../roles/settle.ts'
import { plain, text } from '../text.ts'

export const setupForget: Command = {
  name: 'setup forget',
  description: 'Ends the rules of a role, and takes it back',
  isForManagers: true,
  isPrivate: true,
  options: [{ name: 'role', description: 'The role to give no more', kind: 'role', isRequired: true }],
  async run({ values, guild }, { store, roles }) {
    if (guild === null) return sentence(plain('Set up roles in a server, not in a private conversation.'))
    const { role = '' } = values
    if (store.forgetRole(guild, role) === 0) return sentence(text`No rule gives ${[{ role }]}.`)
    // The role is still ruled here, by a rule that gives it to nobody.
    const ruledForNobody = { role, allianceId: '', rank: null }
    for (const link of store.linksOfGuild(guild)) await settle(roles, link, link, [ruledForNobody])
    return sentence(text`${[{ role }]} is given no more, and was taken back.`)
  },
}
