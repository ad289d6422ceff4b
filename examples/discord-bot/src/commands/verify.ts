import type { VerifiedIdentity } from '@chancery/client'
import type { Bot, Command } from '../command.ts'
import { fact, type Reply, sentence } from '../reply.ts'
import { type Settled, settle } from '../roles/settle.ts'
import { joined, name, plain, type Text, text } from '../text.ts'
import { membershipText } from './nation.ts'

export const verify: Command = {
  name: 'verify',
  description: 'Shows that a nation is yours, and gives you the roles of its player',
  isPrivate: true,
  options: [
    {
      name: 'code',
      description: 'The code from the game’s developer settings; it works once, for ten minutes',
      kind: 'text',
      isRequired: true,
    },
  ],
  async run({ values, account, guild }, bot) {
    const given = (values.code ?? '').trim()
    if (given === '') return sentence(plain('Give the code that the game’s developer settings show.'))
    // Always with the caller's account: a code made for somebody else is then worth nothing here.
    const identity = await bot.api.discord.verify(given, { for: account })
    const changed = guild === null ? undefined : await link(identity, { guild, account }, bot)
    return identityReply(identity, bot, changed)
  },
}

/** Keeps who holds the nation here, and settles the roles of the account, and of whoever held it before. */
async function link(
  { nation, alliance }: VerifiedIdentity,
  { guild, account }: { guild: string; account: string },
  { store, roles }: Bot,
): Promise<Settled> {
  const standing = { allianceId: alliance?.alliance_id ?? null, rank: alliance?.rank ?? null }
  const former = store.link({
    guild,
    account,
    nationId: nation.id,
    nationName: nation.nation_name,
    ...standing,
  })
  const rules = store.rules(guild)
  for (const other of former) if (other.account !== account) await settle(roles, other, null, rules)
  return settle(roles, { guild, account }, standing, rules)
}

async function identityReply(
  { nation, alliance }: VerifiedIdentity,
  { words }: Bot,
  changed: Settled | undefined,
): Promise<Reply> {
  return {
    embeds: [
      {
        title: text`Verified: ${name(nation.nation_name)}`,
        lines: [
          text`This account belongs to the player of ${name(nation.nation_name)}.`,
          ...(changed ? rolesText(changed) : []),
        ],
        fields: [
          ...(nation.leader_name === '' ? [] : [fact('Leader', [name(nation.leader_name)])]),
          fact('Score', text`${nation.national_score}`),
          fact('Alliance', await membershipText(alliance, words)),
        ],
      },
    ],
  }
}

/** What became of somebody's roles. */
function rolesText({ given, taken, refused }: Settled): Text[] {
  const list = (roles: string[]) =>
    joined(
      roles.map(role => [{ role }]),
      ', ',
    )
  return [
    ...(given.length > 0 ? [text`Roles given: ${list(given)}`] : []),
    ...(taken.length > 0 ? [text`Roles taken back: ${list(taken)}`] : []),
    ...(refused.length > 0
      ? [text`I may not hand out ${list(refused)}: it must stand below my own role in the list of roles.`]
      : []),
  ]
}
